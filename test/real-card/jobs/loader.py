"""A job with four data-loader workers. --stuck: the workers never come back from reading, so they outlive their parent."""

import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self) -> int:
        return 10**6

    def __getitem__(self, index: int) -> torch.Tensor:
        if "--stuck" in sys.argv and index >= 64:
            time.sleep(10**6)
        time.sleep(0.01)
        return torch.randn(4096)


layer = torch.nn.Linear(4096, 4096).cuda()
kept = torch.empty(2 * 2**30, device="cuda", dtype=torch.uint8)
layer(torch.randn(8, 4096, device="cuda"))
torch.cuda.synchronize()
for step, batch in enumerate(DataLoader(Slow(), batch_size=8, num_workers=4)):
    layer(batch.cuda()).sum().backward()
    if step == 3:
        print("ready", flush=True)
