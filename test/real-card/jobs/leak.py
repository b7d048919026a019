"""Trains a while, then also keeps something of every step, until the card is full. The argument: share of the card lost a second."""

import sys
import time

import torch

share_per_second = float(sys.argv[1]) if len(sys.argv) > 1 else 0.012
total = torch.cuda.get_device_properties(0).total_memory
model = torch.nn.Sequential(*[torch.nn.Linear(8192, 8192) for _ in range(12)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
kept: list[torch.Tensor] = []
began = time.time()
print("ready", flush=True)
while True:
    step = time.time()
    model(torch.randn(512, 8192, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    if step - began > 15:
        kept.append(torch.empty(int(total * share_per_second * 0.1), device="cuda", dtype=torch.uint8))
    torch.cuda.synchronize()
    time.sleep(max(0.0, 0.1 - (time.time() - step)))
