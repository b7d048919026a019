"""Ranks of one run on one card, over gloo. --stuck: rank 1 stays inside a kernel."""

import sys
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
torch.cuda.set_device(0)
kept = torch.empty(2**30 * (1 + dist.get_rank()), device="cuda", dtype=torch.uint8)
layer = torch.nn.Linear(4096, 4096).cuda()
layer(torch.randn(8, 4096, device="cuda"))
torch.cuda.synchronize()
print("ready", flush=True)
while True:
    if "--stuck" in sys.argv and dist.get_rank() == 1:
        torch.cuda._sleep(2**40)
        torch.cuda.synchronize()
    layer(torch.randn(512, 4096, device="cuda")).sum().backward()
    time.sleep(0.05)
