"""What is measured on two cards, the most wanted first."""


def c(model, precision, strategy, batch, seq, **k):
    return dict(model=model, precision=precision, strategy=strategy, batch=batch, seq=seq, **k)


FOUR = (("tinyllama-1.1b", 2, 1024), ("qwen2.5-0.5b", 2, 1024), ("gpt2-medium", 2, 1024), ("bert-large", 4, 512))
DECODERS = (("tinyllama-1.1b", 2, 1024), ("qwen2.5-0.5b", 2, 1024), ("pythia-1b", 2, 1024), ("llama-3.2-1b", 2, 512))


def NCCL():
    yield dict(kind="communicator")
    yield dict(kind="communicator", env={"NCCL_DEBUG": "INFO", "NCCL_DEBUG_FILE": "/tmp/nccl-debug.%p"})
    yield dict(kind="communicator", env={"NCCL_MAX_NCHANNELS": "2"})
    yield dict(kind="communicator", env={"NCCL_BUFFSIZE": "1048576"})
    yield dict(kind="communicator", env={"NCCL_P2P_DISABLE": "1"})
    for how in ("nothing", "load", "barrier", "empty_cache", "synchronize"):
        yield dict(kind="stray", how=how)


def ROWS():
    for m, b, s in FOUR:
        for p in ("bf16", "amp-bf16"):
            yield c(m, p, "dp", b, s, gather="inside")
            yield c(m, p, "ddp", b, s)
            yield c(m, p, "fsdp2", b, s, ckpt=p == "bf16")
    for m, b, s in DECODERS:
        for p in ("bf16", "amp-bf16"):
            yield c(m, p, "pipeline", b, s, schedule="1f1b", accumulation=4)
            yield c(m, p, "placement", b, s, layers="balanced")
    for m, b, s in FOUR[:3]:
        for p in ("bf16", "amp-bf16"):
            yield c(m, p, "dp", b, s, gather="outside")
    for m, b, s in FOUR:
        yield c(m, "amp-bf16", "ddp-view", b, s)
        yield c(m, "bf16", "fsdp2-zero2", b, s)
        yield c(m, "amp-bf16", "zero-redundancy", b, s)
    for m, b, s in DECODERS[:2]:
        for p in ("bf16", "amp-bf16"):
            yield c(m, p, "pipeline", b, s, schedule="gpipe", accumulation=4)
            yield c(m, p, "placement", b, s, layers="round-robin")
            yield c(m, p, "tensor", b, s)
    yield c("tinyllama-1.1b", "fp32", "dp", 1, 512, gather="inside")
    yield c("tinyllama-1.1b", "fp32", "ddp", 1, 512)
    yield c("tinyllama-1.1b", "fp32", "pipeline", 1, 512, schedule="1f1b", accumulation=4)
    yield c("tinyllama-1.1b", "bf16", "pipeline", 1, 1024, schedule="1f1b", accumulation=8, ckpt=True)
    yield c("tinyllama-1.1b", "bf16", "placement", 2, 1024, layers="balanced", hooks="accelerate")
    yield c("qwen2.5-0.5b", "amp-bf16", "placement", 2, 1024, layers="balanced", hooks="accelerate")
    yield c("qwen2.5-0.5b", "bf16", "dp", 2, 1024, gather="both")
    yield c("gpt2-medium", "amp-bf16", "dp", 2, 1024, gather="both")
    yield c("t5-base", "amp-bf16", "dp", 2, 512, gather="inside")
    yield c("t5-base", "amp-bf16", "fsdp2", 2, 512)
    yield c("tinyllama-1.1b", "bf16", "zero-redundancy", 2, 1024, view=True)
    yield c("tinyllama-1.1b", "bf16", "tensor", 2, 1024, ckpt=True)
    yield c("tinyllama-1.1b", "bf16", "fsdp2-offload", 1, 1024, steps=2)


def TRACES():
    four, two = dict(num_hidden_layers=4), dict(num_hidden_layers=2)
    t = dict(trace=True)
    yield c("tinyllama-1.1b", "bf16", "dp", 2, 512, gather="inside", config=two, **t)
    yield c("gpt2", "amp-bf16", "dp", 2, 512, gather="inside", config=dict(n_layer=2), **t)
    yield c("tinyllama-1.1b", "bf16", "dp", 2, 512, gather="outside", config=two, **t)
    yield c("tinyllama-1.1b", "bf16", "pipeline", 2, 512, schedule="1f1b", accumulation=4, config=four, **t)
    yield c("tinyllama-1.1b", "amp-bf16", "pipeline", 2, 512, schedule="1f1b", accumulation=4, config=four, **t)
    yield c("qwen2.5-0.5b", "bf16", "pipeline", 2, 512, schedule="gpipe", accumulation=4, config=four, **t)
    yield c("tinyllama-1.1b", "bf16", "placement", 2, 512, layers="balanced", config=four, **t)
    yield c("qwen2.5-0.5b", "amp-bf16", "placement", 2, 512, layers="balanced", config=four, **t)
    yield c("tinyllama-1.1b", "bf16", "ddp", 2, 512, config=two, **t)
    yield c("bert-large", "amp-bf16", "ddp-view", 2, 512, config=two, **t)
    yield c("tinyllama-1.1b", "amp-bf16", "fsdp2", 2, 512, config=four, **t)
    yield c("tinyllama-1.1b", "bf16", "zero-redundancy", 2, 512, config=two, **t)
    yield c("tinyllama-1.1b", "bf16", "tensor", 2, 512, config=two, **t)


def CPU():
    """A rehearsal without a card."""
    small = dict(num_hidden_layers=2, hidden_size=128, intermediate_size=256, num_attention_heads=4, num_key_value_heads=2, vocab_size=500)
    for p in ("bf16", "amp-bf16"):
        for m in ("tinyllama-1.1b", "qwen2.5-0.5b"):
            yield c(m, p, "dp", 1, 16, gather="inside", config=small)
            yield c(m, p, "dp", 1, 16, gather="outside", config=small)
            for s in ("ddp", "ddp-view", "zero-redundancy", "fsdp2", "fsdp2-zero2"):
                yield c(m, p, s, 1, 16, config=small)
            for sch in ("1f1b", "gpipe"):
                yield c(m, p, "pipeline", 1, 16, schedule=sch, accumulation=4, config=small, ckpt=True)
            yield c(m, p, "placement", 1, 16, layers="balanced", config=small)
            yield c(m, p, "placement", 1, 16, layers="round-robin", config=small)


def ALL():
    rows, traces, nccl = list(ROWS()), list(TRACES()), list(NCCL())
    yield from nccl[:1]
    yield from rows[:40]
    yield from traces
    yield from nccl[1:]
    yield from rows[40:]


def CALL2():
    """What the first call left open: tensor parallel, both stacks of T5 sharded, DDP's rank 0 of GPT-2."""
    t, two = dict(trace=True), dict(num_hidden_layers=2)
    for m, b, q in FOUR[:2]:
        for p in ("bf16", "amp-bf16"):
            yield c(m, p, "tensor", b, q)
    yield c("tinyllama-1.1b", "bf16", "tensor", 2, 1024, ckpt=True)
    yield c("llama-3.2-1b", "bf16", "tensor", 2, 512)
    yield c("tinyllama-1.1b", "bf16", "tensor", 2, 512, config=two, **t)
    yield c("qwen2.5-0.5b", "amp-bf16", "tensor", 2, 512, config=two, **t)
    yield c("t5-base", "amp-bf16", "fsdp2", 2, 512, t5whole=True)
    yield c("t5-base", "bf16", "fsdp2", 2, 512, t5whole=True, ckpt=True)
    yield c("gpt2-medium", "bf16", "ddp", 2, 1024, config=dict(n_layer=4), **t)
    yield c("gpt2-medium", "bf16", "ddp-view", 2, 1024, config=dict(n_layer=4), **t)
    yield c("gpt2-medium", "bf16", "ddp", 2, 1024)
    yield c("gpt2-medium", "bf16", "ddp-view", 2, 1024)
