"""Rows and traces of two real cards: one forked process a rank, several cases at a time, each under a time limit.

usage: measure_two_cards.py OUT_FOLDER SET PARALLEL SECONDS

SET names a function of two_card_cases.py; the rows go to OUT_FOLDER/SET.jsonl as they come, in the form of the measured rows that
`npm run accuracy` reads (test/fixtures/accuracy/two-cards.jsonl.gz), one line a rank, or a card where one process has both. NVLink
multicast stays off. With TWO_CPU=1 the same runs without a card, to try the program itself.
"""

import contextlib
import gc
import json
import os
import signal
import sys
import time
import traceback

from two_card_models import GPU, bytes_of, config_of, dev, nvml, stats, sync
from two_card_strategies import ONE_PROCESS, STRATEGIES, distributed, prepare_files
import torch
import torch.distributed as dist


def run_rank(case, rank):
    """One process of a case: rows by card, with events where the case asks for a trace."""
    one = case["strategy"] in ONE_PROCESS
    mine = 0 if one else rank
    used = [0, 1] if one else [rank]
    if GPU:
        torch.cuda.set_device(mine)
        torch.cuda.init()
        torch.zeros(1, device=dev(mine))
        torch.cuda.synchronize()
    tracing = bool(case.get("trace"))
    base = {k: v for k, v in case.items() if k not in ("store", "id")}
    notes = {}
    started = nvml()
    notes["context_start"] = [None if b is None else b - (torch.cuda.memory_reserved(i) if GPU else 0) for i, b in enumerate(started)]
    if GPU:
        torch.cuda.empty_cache()
    cuts = []
    if tracing:
        torch.cuda.memory._record_memory_history(max_entries=1000000, stacks="python")

    def cut(name):
        if tracing:
            sync()
            taken = torch.cuda.memory._snapshot()["device_traces"]
            cuts.append(([len(t) for t in taken], name))
        elif name == "process group":
            sync()
            now = nvml()
            notes["context_comm"] = [None if b is None else b - torch.cuda.memory_reserved(i) for i, b in enumerate(now)]

    config, task = config_of(case)
    model, opt, forward, whole = STRATEGIES[case["strategy"]](case, config, task, rank, cut)
    gc.collect()
    if GPU:
        torch.cuda.empty_cache()
    cut("build")
    after_build = [stats(i)["allocated"] for i in (0, 1)]
    marks, seconds = {}, []
    steps = 2 if tracing else case.get("steps", 4)

    def reset():
        if GPU:
            for i in used:
                torch.cuda.reset_peak_memory_stats(i)

    def mark(name):
        sync()
        for i in used:
            marks.setdefault(i, {})[f"after_{name}"] = stats(i)["allocated"]
            marks[i][f"peak_{name}"] = stats(i)["peak"]
        reset()

    by_step = []
    for n in range(1, steps + 1):
        sync()
        reset()
        marks = {}
        at = time.perf_counter()
        if whole is None:
            loss = forward()
            mark("fwd")
            cut(f"forward {n}")
            loss.backward()
            del loss
            mark("bwd")
            cut(f"backward {n}")
        else:
            whole()
            mark("bwd")
            cut(f"backward {n}")
        opt.step()
        mark("opt")
        cut(f"optimizer {n}")
        opt.zero_grad(set_to_none=True)
        cut(f"zero_grad {n}")
        sync()
        seconds.append(time.perf_counter() - at)
        by_step.append({i: max(v for k, v in marks[i].items() if k.startswith("peak")) for i in used})
    end = nvml()
    rows = []
    names = [p for p in model.parameters()]
    state = [t for s in getattr(opt, "state", {}).values() for t in (s.values() if isinstance(s, dict) else [])]
    if case["strategy"] == "zero-redundancy":
        state = [t for s in opt.optim.state.values() for t in s.values()]
    for i in used:
        reserved = stats(i)["reserved"]
        row = dict(base, world=2 if case["strategy"] != "single" else 1, rank=rank if not one else i, card=i,
                   params=sum(p.numel() for p in names), trainable=sum(p.numel() for p in names if p.requires_grad),
                   param_bytes=bytes_of(names)[i], opt_bytes=bytes_of(state)[i], alloc_after_build=after_build[i], marks=marks[i],
                   peak_alloc=[s[i] for s in by_step] if tracing else max(s[i] for s in by_step), reserved=reserved,
                   nvml=end[i], context_end=None if end[i] is None else end[i] - reserved,
                   context_start=notes["context_start"][i], context_comm=notes.get("context_comm", [None, None])[i],
                   nvml_cards=end, step_s=min(seconds[1:]) if len(seconds) > 1 else seconds[0])
        if tracing:
            row.update(events_of(i, cuts))
        rows.append(row)
    return rows


def frames(fs):
    out = []
    for f in fs:
        n = f["filename"]
        if any(part in n for part in ("/transformers/", "torch/nn", "torch/optim", "torch/utils/checkpoint", "torch/_foreach", "fsdp", "amp", "distributed")):
            out.append(os.path.basename(n)[:-3] + ":" + f["name"])
        if len(out) == 3:
            break
    return "<".join(out)


def events_of(card, cuts):
    trace = torch.cuda.memory._snapshot()["device_traces"][card]
    ids, events, names, streams = {}, [], {}, {}
    at = [(lengths[card], name) for lengths, name in cuts]
    for i, e in enumerate(trace):
        while at and at[0][0] <= i:
            events.append([9, 0, at.pop(0)[1]])
        a = e["action"]
        if a == "alloc":
            ids[e["addr"]] = len(events)
            events.append([1, e["size"], names.setdefault(frames(e["frames"]), len(names)), streams.setdefault(e["stream"], len(streams))])
        elif a == "free_completed":
            events.append([0, e["size"], ids.pop(e["addr"], -1)])
        elif a in ("segment_alloc", "segment_free"):
            events.append([2 if a == "segment_alloc" else 3, e["size"], streams.setdefault(e["stream"], len(streams))])
    events += [[9, 0, name] for _, name in at]
    return dict(names=list(names), events=events)


# ---- small experiments: contexts and communicators ----

def communicator(case, rank):
    """What NCCL takes beside the context, by what it was used for."""
    for k, v in case.get("env", {}).items():
        os.environ[k] = v
    torch.cuda.set_device(rank)
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    log = [("context", nvml())]
    distributed(dict(case), rank)
    log.append(("init", nvml()))
    x = torch.ones(64 << 20, device="cuda", dtype=torch.uint8).float()
    for name, do in (("all_reduce", lambda: dist.all_reduce(x)), ("all_gather", lambda: dist.all_gather_into_tensor(torch.empty(2 * x.numel(), device="cuda"), x)),
                     ("reduce_scatter", lambda: dist.reduce_scatter_tensor(torch.empty(x.numel() // 2, device="cuda"), x)),
                     ("send", lambda: dist.send(x, 1) if rank == 0 else dist.recv(x, 0)), ("broadcast", lambda: dist.broadcast(x, 0))):
        do()
        torch.cuda.synchronize()
        log.append((name, nvml()))
    g = dist.new_group([0, 1])
    dist.all_reduce(x, group=g)
    torch.cuda.synchronize()
    log.append(("second group", nvml()))
    x = None
    torch.cuda.empty_cache()
    torch.cuda.synchronize()
    log.append(("emptied", nvml()))
    return [dict({k: v for k, v in case.items() if k not in ("store", "id")}, rank=rank, log=log, nccl=".".join(map(str, torch.cuda.nccl.version())))]


def stray(case, rank):
    """A rank that never calls set_device: what lands on card 0 by the usual ways."""
    how = case["how"]
    device = torch.device("cuda", rank)
    log = []
    if how == "load":
        torch.load("/tmp/two-weights/stray.pt", map_location=None)
    model = torch.nn.Linear(4096, 4096).to(device)
    log.append(("model", nvml()))
    store = dist.FileStore(case["store"], 2)
    dist.init_process_group("nccl", rank=rank, world_size=2, store=store)
    if how == "barrier":
        dist.barrier()
    log.append(("group", nvml()))
    wrapped = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    opt = torch.optim.AdamW(wrapped.parameters())
    for _ in range(3):
        wrapped(torch.randn(64, 4096, device=device)).sum().backward()
        opt.step()
        opt.zero_grad()
        if how == "empty_cache":
            torch.cuda.empty_cache()
        if how == "synchronize":
            torch.cuda.synchronize()
    log.append(("steps", nvml()))
    return [dict({k: v for k, v in case.items() if k not in ("store", "id")}, rank=rank, log=log, reserved=[torch.cuda.memory_reserved(i) for i in (0, 1)])]


SPECIAL = {"communicator": communicator, "stray": stray}


def child(case, rank, path):
    os.setsid()
    try:
        run = SPECIAL.get(case.get("kind"), run_rank)
        rows = run(case, rank)
    except Exception as error:
        kept = {k: v for k, v in case.items() if k not in ("store", "id")}
        rows = [dict(kept, rank=rank, error=type(error).__name__, message=str(error)[:400] + " | " + traceback.format_exc()[-900:])]
    with open(path, "w") as file:
        file.write("\n".join(json.dumps(r) for r in rows) + "\n")
    os._exit(0)


def main():
    out, name, parallel, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    os.makedirs(out, exist_ok=True)
    import two_card_cases
    todo = [dict(c, id=i) for i, c in enumerate(getattr(two_card_cases, name)())]
    scratch = f"/tmp/two-scratch-{name}"
    os.makedirs(scratch, exist_ok=True)
    torch.set_num_threads(2)
    prepare_files(todo)
    deadline, running, target = time.time() + seconds, {}, open(f"{out}/{name}.jsonl", "a")
    limit = float(os.environ.get("CASE_S", "75"))
    done = 0

    def weight(c):
        return c.get("weight", 1)

    while todo or running:
        while todo and time.time() < deadline and (not running or sum(weight(r["case"]) for r in running.values()) + weight(todo[0]) <= parallel):
            case = todo.pop(0)
            case["store"] = f"{scratch}/store-{case['id']}"
            ranks = 1 if case.get("strategy") in (*ONE_PROCESS, "single") else 2
            pids = {}
            for rank in range(ranks):
                path = f"{scratch}/{case['id']}-{rank}"
                pid = os.fork()
                if pid == 0:
                    target.close()
                    child(case, rank, path)
                pids[pid] = path
            running[case["id"]] = dict(case=case, left=dict(pids), pids=pids, started=time.time())
        if not running:
            break
        time.sleep(0.05)
        for key, run in list(running.items()):
            for pid in list(run["left"]):
                got, _ = os.waitpid(pid, os.WNOHANG)
                if got:
                    run["left"].pop(pid)
            late = time.time() - run["started"] > limit or time.time() > deadline + 25
            if run["left"] and late:
                for pid in run["left"]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            if not run["left"] or late:
                for pid in run["left"]:
                    os.waitpid(pid, 0)
                for path in run["pids"].values():
                    if os.path.exists(path):
                        target.write(open(path).read())
                    else:
                        target.write(json.dumps(dict({k: v for k, v in run["case"].items() if k != "store"}, error="killed", message="time limit")) + "\n")
                target.flush()
                running.pop(key)
                done += 1
                c = run["case"]
                print(f"{time.time() - deadline + seconds:6.1f}s {c['id']} {c.get('kind', '')} {c.get('model', '')} {c.get('precision', '')} {c.get('strategy', '')} {time.time() - run['started']:.1f}s", flush=True)
    print(name, "done", done, "left", len(todo), flush=True)


if __name__ == "__main__":
    main()
