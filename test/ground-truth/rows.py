"""Measures rows: the peak memory of real training steps, or the largest micro-batch that completes two of them.

    python3 rows.py test/fixtures/accuracy/mem.jsonl.gz --model gpt2 --out again.jsonl

measures again the rows of a fixture, which itself says what was asked; rows of kind "maxbatch" are searches. Needs a card, nvidia-ml-py
for `nvml`, and peft for rows with adapters. Rows with `expandable_segments` need PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.
"""

import argparse
import gc
import os
import resource
import time

import torch

import fixtures
import models
from children import run_each

MIB = 2**20
MEASURED = {
    "params", "trainable", "param_bytes", "opt_bytes", "alloc_after_build", "marks", "peak_alloc", "reserved", "nvml",
    "context_start", "context_end", "step_s", "host_rss", "took_s", "max_batch", "why", "expandable_segments", "cfg",
}  # fmt: skip


def process_bytes():
    """What nvidia-smi says that this process holds; null where it names none."""
    import pynvml

    pynvml.nvmlInit()
    card = pynvml.nvmlDeviceGetHandleByIndex(0)
    own = [entry for entry in pynvml.nvmlDeviceGetComputeRunningProcesses(card) if entry.pid == os.getpid()]
    return own[0].usedGpuMemory if own else None


def bytes_of(tensors):
    """Bytes of the storages on the card, each counted once."""
    local = [tensor.to_local() if hasattr(tensor, "to_local") else tensor for tensor in tensors]
    storages = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
        for tensor in local
        if isinstance(tensor, torch.Tensor) and tensor.is_cuda
    }
    return sum(storages.values())


def take_step(case, model, optimizer, data, scaler, marks=None):
    """One step; `marks` gets what was allocated after each phase and the phase's peak."""

    def mark(after, peak):
        if marks is not None:
            marks[after] = torch.cuda.memory_allocated()
            marks[peak] = torch.cuda.max_memory_allocated()
            torch.cuda.reset_peak_memory_stats()

    with models.autocast_of(case):
        loss = model(**data).loss
    mark("after_fwd", "peak_fwd")
    (scaler.scale(loss) if scaler else loss).backward()
    del loss
    mark("after_bwd", "peak_bwd")
    if case.get("clip"):
        if scaler:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1.0)
    if scaler:
        scaler.step(optimizer)
        scaler.update()
    else:
        optimizer.step()
    mark("after_opt", "peak_opt")
    optimizer.zero_grad(set_to_none=True)


def measure(row):
    """The row with its peaks measured over `steps` steps, four where it names none."""
    case = {key: value for key, value in row.items() if key not in MEASURED}
    if case.get("kind") == "maxbatch":
        return largest(case, row.get("cfg"))
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    found = {"context_start": (process_bytes() or 0) - torch.cuda.memory_reserved()}
    torch.cuda.empty_cache()
    model, optimizer, config, total, trained = models.prepare(case, row.get("cfg"))
    gc.collect()
    torch.cuda.empty_cache()
    found |= {
        "params": total,
        "trainable": trained,
        "param_bytes": bytes_of(model.parameters()),
        "alloc_after_build": torch.cuda.memory_allocated(),
    }
    data, scaler = models.batch_of(case, config), models.scaler_of(case)
    torch.cuda.reset_peak_memory_stats()
    peaks, seconds, marks = [], [], {}
    count = case.get("steps", 4)
    for number in range(count):
        is_last = number == count - 1
        torch.cuda.synchronize()
        began = time.perf_counter()
        if is_last:
            torch.cuda.reset_peak_memory_stats()
        take_step(case, model, optimizer, data, scaler, marks if is_last else None)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - began)
        if not is_last:
            peaks.append(torch.cuda.max_memory_allocated())
    states = [value for state in optimizer.state.values() for value in state.values()]
    held = process_bytes()
    return {
        **case,
        **found,
        "opt_bytes": bytes_of(states),
        "marks": marks,
        "peak_alloc": max([*peaks, marks["peak_fwd"], marks["peak_bwd"], marks["peak_opt"]]),
        "reserved": torch.cuda.memory_reserved(),
        "nvml": held,
        "context_end": (held or 0) - torch.cuda.memory_reserved(),
        "step_s": min(seconds[1:] or seconds),
        "host_rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def largest(case, cfg):
    """The largest micro-batch on a card of `card_mib`, of which the context takes `context_mib`: by doubling, then by halves."""
    limit = (case["card_mib"] - case.get("context_mib", 500)) * MIB
    model, optimizer, config, total, trained = models.prepare(case, cfg)
    counts = {"params": total, "trainable": trained}
    gc.collect()
    torch.cuda.empty_cache()
    if torch.cuda.memory_allocated() > limit:
        return {**case, **counts, "max_batch": 0, "why": "parameters"}
    torch.cuda.set_per_process_memory_fraction(limit / torch.cuda.get_device_properties(0).total_memory)
    scaler = models.scaler_of(case)

    def fits(size):
        try:
            data = models.batch_of(case, config, size)
            for _ in range(2):
                take_step(case, model, optimizer, data, scaler)
            torch.cuda.synchronize()
            return True
        except torch.OutOfMemoryError:
            return False
        finally:
            optimizer.zero_grad(set_to_none=True)
            data = None
            gc.collect()
            torch.cuda.empty_cache()

    most = case.get("cap", 256)
    low, high = 0, 1
    while high <= most and fits(high):
        low, high = high, high * 2
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return {**case, **counts, "max_batch": low}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixture", help="rows to measure again")
    parser.add_argument("--model", help="only the rows of this model")
    parser.add_argument("--out", required=True, help="where to write them (.jsonl or .jsonl.gz)")
    given = parser.parse_args()
    rows = [row for row in fixtures.read_rows(given.fixture) if given.model in (None, row["model"])]
    measured = run_each(rows, measure)
    fixtures.write_rows(given.out, measured)
    fixtures.write_head(given.out, "rows.py")
    failed = [row for row in measured if "error" in row]
    print(f"{len(measured)} rows, {len(failed)} failed")
    for row in failed:
        print(row)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
