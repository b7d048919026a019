"""Records steps: every allocation and free from the start of a process through two training steps, in order.

    python3 steps.py test/fixtures/accuracy/traces-full.jsonl.gz --model tinyllama-1.1b --out again.jsonl

records again the rows of a fixture (all, or those of one model): the fixture itself says what was asked. Needs a card and peft for
rows with adapters. An event is [1, bytes, name, stream] (allocation), [0, bytes, index of its allocation], [2 or 3, bytes, stream]
(a segment taken or given back) or [9, 0, "forward 1"] (the end of a phase); sizes are as requested.
"""

import argparse
import gc
import os

import torch

import fixtures
import models
from children import run_each

# Files whose frames are worth a name: what a reader of a trace looks up.
NAMED = ("/transformers/", "/peft/", "torch/nn", "torch/optim", "torch/utils/checkpoint", "torch/_foreach", "fsdp", "amp")


def name_of(frames):
    """Up to three Python frames, innermost first."""
    named = [frame for frame in frames if any(part in frame["filename"] for part in NAMED)]
    return "<".join(f"{os.path.basename(frame['filename'])[:-3]}:{frame['name']}" for frame in named[:3])


def record(row):
    """The row with its two steps recorded."""
    case, cfg = fixtures.case_of(row), row.get("cfg")
    torch.cuda.init()
    torch.cuda.memory._record_memory_history(max_entries=1_000_000, stacks="python")
    ends = []

    def end(phase):
        torch.cuda.synchronize()
        ends.append((len(torch.cuda.memory._snapshot()["device_traces"][0]), phase))

    model, optimizer, config, total, trained = models.prepare(case, cfg)
    gc.collect()
    torch.cuda.empty_cache()
    end("build")
    data = models.batch_of(case, config)
    scaler = models.scaler_of(case)
    end("data")
    peaks = []
    for number in (1, 2):
        torch.cuda.reset_peak_memory_stats()
        with models.autocast_of(case):
            loss = model(**data).loss
        end(f"forward {number}")
        (scaler.scale(loss) if scaler else loss).backward()
        del loss
        end(f"backward {number}")
        if case.get("clip"):
            torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1.0)
            end(f"clip {number}")
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        end(f"optimizer {number}")
        optimizer.zero_grad(set_to_none=True)
        end(f"zero_grad {number}")
        peaks.append(torch.cuda.max_memory_allocated())
    names, events = events_of(torch.cuda.memory._snapshot()["device_traces"][0], ends)
    results = {
        "params": total,
        "trainable": trained,
        "peak_alloc": peaks,
        "reserved": torch.cuda.memory_reserved(),
        "names": names,
        "events": events,
    }
    return {**case, **results, **({} if cfg is None else {"cfg": cfg})}


def in_form_of(recorded, row):
    """The row as its fixture holds it: some hold sizes in order alone, without names, streams, segments and parameter counts."""
    if "events" not in row or recorded.get("names") != [""]:
        return row
    short = {0: lambda size, *_: [0, size], 1: lambda size, *_: [1, size, 0]}
    events = [short[kind](*rest) if kind in short else [kind, *rest] for kind, *rest in row["events"] if kind not in (2, 3)]
    slim = {**row, "names": [""], "events": events}
    return {key: slim[key] for key in recorded if key in slim}


def events_of(trace, ends):
    """PyTorch's trace as events, and the names that they refer to by number."""
    made, events, names, streams = {}, [], {}, {}
    waiting = sorted(ends, key=lambda entry: entry[0])
    for index, entry in enumerate(trace):
        while waiting and waiting[0][0] <= index:
            events.append([9, 0, waiting.pop(0)[1]])
        action, size = entry["action"], entry["size"]
        if action == "alloc":
            made[entry["addr"]] = len(events)
            name = names.setdefault(name_of(entry["frames"]), len(names))
            events.append([1, size, name, streams.setdefault(entry["stream"], len(streams))])
        elif action == "free_completed":
            events.append([0, size, made.pop(entry["addr"], -1)])
        elif action in ("segment_alloc", "segment_free"):
            kind = 2 if action == "segment_alloc" else 3
            events.append([kind, size, streams.setdefault(entry["stream"], len(streams))])
    events.extend([9, 0, phase] for _, phase in waiting)
    return list(names), events


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixture", help="rows to record again")
    parser.add_argument("--model", help="only the rows of this model")
    parser.add_argument("--out", required=True, help="where to write them (.jsonl or .jsonl.gz)")
    parser.add_argument("--at-once", type=int, default=4, help="processes beside each other")
    given = parser.parse_args()
    rows = [row for row in fixtures.read_rows(given.fixture) if given.model in (None, row["model"])]
    recorded = [in_form_of(*pair) for pair in zip(rows, run_each(rows, record, given.at_once))]
    fixtures.write_rows(given.out, recorded)
    fixtures.write_head(given.out, "steps.py", device=_device())
    failed = [row for row in recorded if "error" in row]
    print(f"{len(recorded)} rows, {len(failed)} failed")
    for row in failed:
        print(fixtures.case_of(row))
    return 1 if failed else 0


def _device():
    """The card's name, asked in a child, as a process that has opened CUDA cannot be forked."""
    return run_each([{}], lambda _case: {"name": torch.cuda.get_device_name(0)})[0].get("name")


if __name__ == "__main__":
    raise SystemExit(main())
