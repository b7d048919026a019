"""Building what a row describes: the model of a case, its batch, its optimizer and its strategy, as a training script would."""

import json
import os

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from fixtures import FIXTURES

transformers.logging.set_verbosity_error()


def fields_of(case, cfg=None):
    """The fields of a row's config: those that it carries, or the fixture's of its model, with the case's changes over them."""
    if cfg is None:
        cfg = json.loads((FIXTURES / "accuracy" / "configs" / f"{case['model']}.json").read_text())
    return {**cfg, **case.get("config", {})}


def config_of(case, cfg=None):
    """The configuration of a row, as transformers builds it."""
    fields = fields_of(case, cfg)
    if "num_hidden_layers" in case.get("config", {}):
        # Lists of one entry a layer are made again for the number that is asked for.
        fields.pop("layer_types", None)
    config = CONFIG_MAPPING[fields["model_type"]].from_dict(fields)
    config.use_cache = False
    return config


def class_of(config):
    """The class that a configuration names; a causal language model where it names none."""
    named = (getattr(config, "architectures", None) or [None])[0]
    if named is not None:
        return getattr(transformers, named)
    return transformers.AutoModelForCausalLM._model_mapping[type(config)]


def dtype_of(case):
    """The type of the weights: 16 bits only where all is in 16 bits."""
    return {"bf16": torch.bfloat16, "fp16": torch.float16}.get(case["precision"], torch.float32)


def build(case, cfg=None):
    """The model of a case on the card, built there with random weights, and its configuration."""
    config = config_of(case, cfg)
    dtype = dtype_of(case)
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    with torch.device("cuda"):
        model = class_of(config)._from_config(config, attn_implementation=case.get("attn", "sdpa"))
    torch.set_default_dtype(before)
    model.to("cuda", dtype)
    return model, config


def batch_of(case, config, size=None):
    """A batch of random tokens or images; labels equal the inputs where the model predicts its own text."""
    size = size or case["batch"]
    length = case.get("seq", 0)
    if length == 0:
        pixels = torch.randn(size, 3, 224, 224, device="cuda")
        return {"pixel_values": pixels, "labels": torch.randint(0, 1000, (size,), device="cuda")}
    ids = torch.randint(0, config.vocab_size, (size, length), device="cuda")
    if config.is_encoder_decoder:
        labels = torch.randint(0, config.vocab_size, (size, case.get("tgt", length)), device="cuda")
        return {"input_ids": ids, "labels": labels}
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids.clone()}


def optimizer_of(case, parameters):
    """The optimizer of a case over what is trained."""
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    name = case.get("optim", "adamw")
    if name == "adafactor":
        return transformers.Adafactor(trained, lr=1e-5, relative_step=False, scale_parameter=False)
    makers = {
        "adamw": lambda: torch.optim.AdamW(trained, lr=1e-5),
        "adamw-fused": lambda: torch.optim.AdamW(trained, lr=1e-5, fused=True),
        "adamw-loop": lambda: torch.optim.AdamW(trained, lr=1e-5, foreach=False),
        "sgd": lambda: torch.optim.SGD(trained, lr=1e-5),
        "sgdm": lambda: torch.optim.SGD(trained, lr=1e-5, momentum=0.9),
        "muon": lambda: torch.optim.Muon(trained, lr=1e-5),
    }
    return makers[name]()


def blocks_of(model):
    """The largest list of modules with more than half of the largest list's parameters: the layers."""

    def size(modules):
        return sum(parameter.numel() for module in modules for parameter in module.parameters())

    best = []
    for module in model.modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) > len(best) and size(module) > size(best) / 2:
            best = list(module)
    return best


def wrap(case, model):
    """The model under its strategy: DDP over NCCL with one rank, FSDP2 with collectives that move nothing."""
    strategy = case.get("strategy", "single")
    if strategy == "single":
        return model
    import torch.distributed as dist

    if strategy.startswith("ddp"):
        dist.init_process_group("nccl", rank=0, world_size=1, store=dist.HashStore())
        return torch.nn.parallel.DistributedDataParallel(
            model,
            device_ids=[0],
            gradient_as_bucket_view=strategy == "ddp-view",
            static_graph=case.get("static", False),
        )
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard
    from torch.testing._internal.distributed.fake_pg import FakeStore

    world = case.get("world", 1)
    dist.init_process_group("fake", rank=0, world_size=world, store=FakeStore())
    options = {
        "mesh": init_device_mesh("cuda", (world,)),
        "reshard_after_forward": not strategy.startswith("fsdp2-zero2"),
    }
    if case["precision"].startswith("amp"):
        options["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    if strategy.endswith("offload"):
        options["offload_policy"] = CPUOffloadPolicy()
    for block in blocks_of(model):
        fully_shard(block, **options)
    fully_shard(model, **options)
    return model


def force_kernels(case):
    """Lets PyTorch choose the fused attention that a case names: cards before Hopper have no cuDNN attention."""
    kernel = case.get("sdp")
    if kernel is None:
        return
    torch.backends.cuda.enable_cudnn_sdp(kernel == "cudnn")
    torch.backends.cuda.enable_flash_sdp(kernel == "flash")
    torch.backends.cuda.enable_mem_efficient_sdp(kernel in ("efficient", "flash"))
    torch.backends.cuda.enable_math_sdp(True)


def prepare(case, cfg=None):
    """Model under its strategy, optimizer, configuration, and the numbers of all and of trained parameters."""
    force_kernels(case)
    model, config = build(case, cfg)
    if case.get("lora"):
        from peft import LoraConfig, get_peft_model

        adapters = LoraConfig(
            r=case["lora"],
            lora_alpha=16,
            lora_dropout=case.get("lora_dropout", 0.0),
            target_modules=case.get("targets", "all-linear"),
            task_type="CAUSAL_LM",
        )
        model = get_peft_model(model, adapters)
        if case.get("ckpt"):
            model.enable_input_require_grads()
    if case.get("ckpt"):
        inner = model.base_model.model if case.get("lora") else model
        inner.gradient_checkpointing_enable(
            gradient_checkpointing_kwargs={"use_reentrant": case.get("reentrant", False)}
        )
    model.train()
    total = sum(parameter.numel() for parameter in model.parameters())
    trained = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    wrapped = wrap(case, model)
    return wrapped, optimizer_of(case, list(wrapped.parameters())), config, total, trained


def autocast_of(case):
    """Autocast where a case is mixed and its strategy does not do that itself."""
    mixed = case["precision"].startswith("amp") and not case.get("strategy", "single").startswith("fsdp")
    dtype = torch.bfloat16 if case["precision"] == "amp-bf16" else torch.float16
    return torch.autocast("cuda", dtype, enabled=mixed)


def scaler_of(case):
    """The scaler of losses that fp16 needs; none elsewhere."""
    return torch.amp.GradScaler("cuda") if case["precision"] == "amp-fp16" else None
