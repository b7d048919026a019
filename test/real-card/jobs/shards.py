"""Loads shards of one size from the bare context on until the card is nine tenths full, then trains a small part of it. Argument: seconds per shard."""

import sys
import time

import torch

seconds_per_shard = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
SHARDS = 12
total = torch.cuda.get_device_properties(0).total_memory
torch.zeros(1, device="cuda")
print("ready", flush=True)
shards = []
for _ in range(SHARDS):
    time.sleep(seconds_per_shard)
    shards.append(torch.empty(int(0.86 * total / SHARDS), dtype=torch.uint8, device="cuda").fill_(1))
print("loaded", flush=True)
weights = torch.randn(4096, 4096, device="cuda", requires_grad=True)
began = time.time()
while time.time() - began < 45:
    (weights @ torch.randn(4096, 4096, device="cuda")).square().mean().backward()
    weights.grad = None
    torch.cuda.synchronize()
print("done", flush=True)
