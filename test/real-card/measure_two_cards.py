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
import warnings

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
os.environ["NCCL_NVLS_ENABLE"] = "0"
os.environ["TORCH_SYMM_MEM_DISABLE_MULTICAST"] = "1"
os.environ["NVSHMEM_DISABLE_NVLS"] = "1"
warnings.filterwarnings("ignore")
import torch
import torch.distributed as dist
import transformers
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from shapes import MODELS

transformers.logging.set_verbosity_error()
GPU = os.environ.get("TWO_CPU") != "1"
KIND = "cuda" if GPU else "cpu"
NET = "nccl" if GPU else "gloo"
CLASSES = dict(causal=AutoModelForCausalLM, mlm=AutoModelForMaskedLM, seq2seq=AutoModelForSeq2SeqLM)


def dev(i):
    return torch.device("cuda", i) if GPU else torch.device("cpu")


def sync():
    if GPU:
        for i in range(torch.cuda.device_count()):
            if has_context(i):
                torch.cuda.synchronize(i)


def has_context(i):
    return torch._C._cuda_hasPrimaryContext(i)


def stats(i):
    if not GPU:
        return dict(allocated=0, peak=0, reserved=0, peak_reserved=0)
    return dict(allocated=torch.cuda.memory_allocated(i), peak=torch.cuda.max_memory_allocated(i),
                reserved=torch.cuda.memory_reserved(i), peak_reserved=torch.cuda.max_memory_reserved(i))


def nvml(pid=None):
    """Bytes of a process on each card, as nvidia-smi lists them."""
    if not GPU:
        return [None, None]
    import pynvml as n
    n.nvmlInit()
    found = []
    for i in range(n.nvmlDeviceGetCount()):
        handle = n.nvmlDeviceGetHandleByIndex(i)
        found.append(next((p.usedGpuMemory for p in n.nvmlDeviceGetComputeRunningProcesses(handle) if p.pid == (pid or os.getpid())), None))
    return found


# ---- models ----

def config_of(case):
    kind, task, keys = MODELS[case["model"]]
    config = AutoConfig.for_model(kind, **{**keys, **case.get("config", {})})
    config.use_cache = False
    return config, task


def build(case, config, task, device):
    dtype = torch.bfloat16 if case["precision"] == "bf16" else torch.float32
    old = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    with torch.device(device):
        model = CLASSES[task].from_config(config, attn_implementation=case.get("attn", "sdpa"))
    torch.set_default_dtype(old)
    model.to(device, dtype)
    if case.get("ckpt"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
    model.train()
    return model


def data_of(case, task, config, count, device):
    v, s = config.vocab_size, case["seq"]
    ids = torch.randint(0, v, (count, s), device=device)
    if task == "seq2seq":
        return dict(input_ids=ids, labels=torch.randint(0, v, (count, s), device=device))
    return dict(input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids.clone())


def optimizer(case, parameters):
    from torch.distributed.tensor import DTensor
    trained = [p for p in parameters if p.requires_grad]
    groups = [[p for p in trained if isinstance(p, DTensor)], [p for p in trained if not isinstance(p, DTensor)]]
    if case["strategy"] != "tensor":
        return torch.optim.AdamW(trained, lr=1e-5)
    return torch.optim.AdamW([dict(params=g) for g in groups if g], lr=1e-5)


def autocast(case):
    p = case["precision"]
    if not p.startswith("amp"):
        return contextlib.nullcontext()
    return torch.autocast(KIND, torch.bfloat16 if p == "amp-bf16" else torch.float16)


def blocks_of(model):
    found = []
    for child in model.children():
        found += list(child) if isinstance(child, torch.nn.ModuleList) else blocks_of(child)
    return found


def bytes_of(tensors):
    """Storage bytes by card."""
    seen, found = set(), [0, 0]
    for t in tensors:
        t = t.to_local() if hasattr(t, "to_local") else t
        if not isinstance(t, torch.Tensor) or not t.is_cuda:
            continue
        s = t.untyped_storage()
        if s.data_ptr() in seen:
            continue
        seen.add(s.data_ptr())
        found[t.device.index] += s.nbytes()
    return found


# ---- what a strategy does; each gives model, optimizer, step(), cards that it uses ----

class LossOnly(torch.nn.Module):
    """What DataParallel replicates: autocast belongs inside, because its threads do not inherit the type."""

    def __init__(self, model, case, what):
        super().__init__()
        self.model, self.case, self.what = model, case, what

    def forward(self, input_ids, attention_mask, labels):
        with autocast(self.case):
            if self.what == "outside":
                return self.model(input_ids=input_ids, attention_mask=attention_mask).logits
            out = self.model(input_ids=input_ids, attention_mask=attention_mask, labels=labels)
            return out.loss.unsqueeze(0) if self.what == "inside" else (out.loss.unsqueeze(0), out.logits)


def data_parallel(case, config, task, rank, cut):
    device = dev(0)
    model = build(case, config, task, device)
    what = case.get("gather", "inside")
    wrapped = LossOnly(model, case, what)
    parallel = torch.nn.DataParallel(wrapped, device_ids=[0, 1] if GPU else None)
    opt = optimizer(case, model.parameters())
    data = data_of(case, task, config, case["batch"] * 2, device)

    def forward():
        out = parallel(data["input_ids"], data.get("attention_mask"), data["labels"])
        if what == "inside":
            return out.mean()
        if what == "both":
            return out[0].mean()
        with autocast(case):
            return model.loss_function(logits=out, labels=data["labels"], vocab_size=config.vocab_size)

    return model, opt, forward, None


def distributed(case, rank):
    device = dev(rank)
    if GPU:
        torch.cuda.set_device(device)
    store = dist.FileStore(case["store"], 2)
    dist.init_process_group(NET, rank=rank, world_size=2, store=store, **(dict(device_id=device) if GPU and case.get("eager_comm", True) else {}))
    return device


def replicas(case, config, task, rank, cut):
    device = distributed(case, rank)
    cut("process group")
    model = build(case, config, task, device)
    s = case["strategy"]
    zro = s == "zero-redundancy"
    wrapped = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank] if GPU else None, gradient_as_bucket_view=s == "ddp-view" or bool(case.get("view")))
    if zro:
        from torch.distributed.optim import ZeroRedundancyOptimizer
        opt = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1e-5, parameters_as_bucket_view=bool(case.get("view")))
    else:
        opt = optimizer(case, model.parameters())
    data = data_of(case, task, config, case["batch"], device)

    def forward():
        with autocast(case):
            return wrapped(**data).loss

    return model, opt, forward, None


def sharded(case, config, task, rank, cut):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
    device = distributed(case, rank)
    cut("process group")
    model = build(case, config, task, device)
    s = case["strategy"]
    keys = dict(mesh=init_device_mesh(KIND, (2,)), reshard_after_forward=not s.startswith("fsdp2-zero2"))
    if case["precision"].startswith("amp"):
        keys["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    if s.endswith("offload"):
        keys["offload_policy"] = CPUOffloadPolicy()
    for block in blocks_of(model):
        fully_shard(block, **keys)
    fully_shard(model, **keys)
    opt = optimizer(case, model.parameters())
    data = data_of(case, task, config, case["batch"], device)
    return model, opt, lambda: model(**data).loss, None


class Stage(torch.nn.Module):
    """The part of a decoder that one card runs: tokens in on the first, logits out on the last, hidden states between."""

    def __init__(self, model, case, is_first, is_last):
        super().__init__()
        self.base = model.base_model
        self.head = model.get_output_embeddings() if is_last else None
        self.is_first, self.case = is_first, case
        if not is_first:
            self.base.set_input_embeddings(torch.nn.Identity())
        if not is_last:
            norm = [name for name, module in self.base.named_children() if "norm" in type(module).__name__.lower()]
            setattr(self.base, norm[-1], torch.nn.Identity())

    def forward(self, x):
        with autocast(self.case):
            hidden = (self.base(input_ids=x) if self.is_first else self.base(inputs_embeds=x)).last_hidden_state
            return hidden if self.head is None else self.head(hidden)


def pipeline(case, config, task, rank, cut):
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe
    device = distributed(case, rank)
    cut("process group")
    layers = config.num_hidden_layers
    mine = case.get("stage_layers", [layers - layers // 2, layers // 2])
    config.num_hidden_layers = mine[rank]
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[sum(mine[:rank]):sum(mine[:rank + 1])]
    whole = build(case, config, task, device)
    loss_function = whole.loss_function
    stage_module = Stage(whole, case, rank == 0, rank == 1)
    del whole
    gc.collect()
    count = case["accumulation"]
    stage = PipelineStage(stage_module, rank, 2, device)

    def loss_of(logits, labels):
        return loss_function(logits=logits, labels=labels, vocab_size=config.vocab_size)

    schedule = (ScheduleGPipe if case["schedule"] == "gpipe" else Schedule1F1B)(stage, count, loss_fn=loss_of)
    opt = optimizer(case, stage_module.parameters())
    data = data_of(case, task, config, case["batch"] * count, device)
    tied = config.tie_word_embeddings
    table = None if not tied else stage_module.base.get_input_embeddings().weight if rank == 0 else stage_module.head.weight
    if tied:
        dist.broadcast(table.data, 0)

    def whole_step():
        if rank == 0:
            schedule.step(data["input_ids"])
        else:
            schedule.step(target=data["labels"], losses=[], return_outputs=False)
        if tied:
            dist.all_reduce(table.grad)

    return stage_module, opt, None, whole_step


def move(value, device, kept):
    """A tensor's copy on that card; what needs no gradient (rotary tables, masks) is copied once a step."""
    if isinstance(value, torch.Tensor):
        if value.device == device:
            return value
        if value.requires_grad:
            return value.to(device)
        key = (id(value), device)
        if key not in kept:
            kept[key] = (value, value.to(device))
        return kept[key][1]
    if isinstance(value, (tuple, list)):
        return type(value)(move(v, device, kept) for v in value)
    if isinstance(value, dict):
        return {k: move(v, device, kept) for k, v in value.items()}
    return value


def placement(case, config, task, rank, cut):
    model = build(case, config, task, dev(0))
    base = model.base_model
    blocks = blocks_of(base)
    half = len(blocks) - len(blocks) // 2
    cards = [i % 2 if case["layers"] == "round-robin" else int(i >= half) for i in range(len(blocks))]
    tied = getattr(config, "tie_word_embeddings", False)
    kept = {}
    if case.get("hooks") == "accelerate":
        from accelerate import dispatch_model
        names = {m: n for n, m in model.named_modules()}
        where = {}
        inside = {id(m) for b in blocks for m in b.modules()}
        for b, card in zip(blocks, cards):
            where[names[b]] = card
        for n, m in model.named_modules():
            if n and id(m) not in inside and not list(m.children()):
                where[n] = (0 if tied else cards[-1]) if m is model.get_output_embeddings() else cards[-1] if "norm" in type(m).__name__.lower() else 0
        model = dispatch_model(model, where, main_device="cuda:0")
    else:
        def hook(card):
            return lambda module, args, kwargs: (move(args, dev(card), kept), move(kwargs, dev(card), kept))
        for b, card in zip(blocks, cards):
            b.to(dev(card))
            b.register_forward_pre_hook(hook(card), with_kwargs=True)
        for n, m in base.named_children():
            if "norm" in type(m).__name__.lower():
                m.to(dev(cards[-1]))
                m.register_forward_pre_hook(hook(cards[-1]), with_kwargs=True)
        head, at = model.get_output_embeddings(), 0 if tied else cards[-1]
        head.to(dev(at))
        head.register_forward_pre_hook(hook(at), with_kwargs=True)
    gc.collect()
    if GPU:
        torch.cuda.empty_cache()
    opt = optimizer(case, model.parameters())
    data = data_of(case, task, config, case["batch"], dev(0))

    def forward():
        kept.clear()
        with autocast(case):
            return model(**data).loss

    return model, opt, forward, None


def weights_folder(case):
    return f"/tmp/two-weights/{case['model']}-{'-'.join(str(v) for v in case.get('config', {}).values()) or 'whole'}"


def prepare_files(todo):
    """Random weights in files, for what can only be loaded from them."""
    for case in todo:
        if case.get("strategy") == "tensor" and not os.path.exists(weights_folder(case)):
            pid = os.fork()
            if pid == 0:
                try:
                    config, task = config_of(case)
                    build(dict(case, precision="fp32"), config, task, dev(0)).save_pretrained(weights_folder(case))
                except Exception:
                    traceback.print_exc()
                os._exit(0)
            os.waitpid(pid, 0)
    if any(c.get("how") == "load" for c in todo):
        pid = os.fork()
        if pid == 0:
            os.makedirs("/tmp/two-weights", exist_ok=True)
            torch.save({"w": torch.zeros(64 << 20, device=dev(0), dtype=torch.uint8)}, "/tmp/two-weights/stray.pt")
            os._exit(0)
        os.waitpid(pid, 0)


def tensor(case, config, task, rank, cut):
    device = distributed(case, rank)
    cut("process group")
    folder = weights_folder(case)
    model = CLASSES[task].from_pretrained(folder, dtype=torch.bfloat16 if case["precision"] == "bf16" else torch.float32, attn_implementation="sdpa", tp_plan="auto").to(device)
    model.config.use_cache = False
    if case.get("ckpt"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
    model.train()
    opt = optimizer(case, model.parameters())
    data = data_of(case, task, config, case["batch"], device)
    dist.broadcast(data["input_ids"], 0)

    def forward():
        with autocast(case):
            return model(**data).loss

    return model, opt, forward, None


def single(case, config, task, rank, cut):
    model = build(case, config, task, dev(0))
    opt = optimizer(case, model.parameters())
    data = data_of(case, task, config, case["batch"], dev(0))

    def forward():
        with autocast(case):
            return model(**data).loss

    return model, opt, forward, None


STRATEGIES = {"single": single, "dp": data_parallel, "ddp": replicas, "ddp-view": replicas, "zero-redundancy": replicas, "fsdp2": sharded,
              "fsdp2-zero2": sharded, "fsdp2-offload": sharded, "pipeline": pipeline, "placement": placement, "tensor": tensor}
ONE_PROCESS = ("dp", "placement")


# ---- measuring ----

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
    peaks, marks, seconds = [], {}, []
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

    highest = {i: 0 for i in used}
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
