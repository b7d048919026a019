"""What each strategy does with two cards: it gives the model, the optimizer, and a forward pass or a whole step."""

import gc
import os
import traceback

from two_card_models import CLASSES, GPU, KIND, NET, autocast, blocks_of, build, config_of, data_of, dev, optimizer
import torch
import torch.distributed as dist


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
