"""The models, batches and figures that all runs on two cards share. Imported before torch, which must find these variables set."""

import contextlib
import os
import warnings

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
os.environ["NCCL_NVLS_ENABLE"] = "0"
os.environ["TORCH_SYMM_MEM_DISABLE_MULTICAST"] = "1"
os.environ["NVSHMEM_DISABLE_NVLS"] = "1"
warnings.filterwarnings("ignore")
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

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
