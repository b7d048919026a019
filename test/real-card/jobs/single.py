"""One process that trains."""

import time

import torch

model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(24)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
print("ready", flush=True)
while True:
    model(torch.randn(512, 4096, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    time.sleep(0.05)
