"""Memory of training with the libraries that people really use: bitsandbytes, PEFT, DeepSpeed, TRL, Liger.

One forked child a case, several at a time. Rows have the case, the allocated peak of each step and phase, what the allocator
held and the whole process. DeepSpeed runs as rank 0 of a world whose collectives move nothing.

usage: libraries.py OUT.jsonl [--groups qlora,optim,zero,liger,sft,dpo] [--parallel N] [--limit SECONDS]
"""

import argparse
import gc
import importlib.metadata
import json
import os
import time
import traceback

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("WANDB_DISABLED", "true")
SAVED = "/tmp/saved-models"
SIZE_GB = {
    "gpt2": 0.5, "qwen2.5-0.5b": 2, "tinyllama-1.1b": 3, "llama-3.2-1b": 4, "qwen2.5-1.5b": 4, "gemma2-2b": 7,
    "llama-2-7b": 16, "mistral-7b": 16, "llama-3.2-3b": 8, "opt-1.3b": 4, "qwen3-0.6b": 2, "olmoe-1b-7b": 16, "phi-2": 7,
}


def process_bytes():
    """The whole process as nvidia-smi shows it, in bytes."""
    import pynvml

    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    for process in pynvml.nvmlDeviceGetComputeRunningProcesses(handle):
        if process.pid == os.getpid():
            return process.usedGpuMemory
    return None


def config_of(case):
    # Not at the head of the file: models imports PyTorch, which only the children may let ask the card.
    import models

    return models.config_of(case)


def random_model(case, device="cuda"):
    """Random weights in the precision of the case, made on the device."""
    import torch
    from transformers import AutoModelForCausalLM

    dtype = torch.bfloat16 if case.get("precision", "bf16") == "bf16" else torch.float32
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config_of(case))
    torch.set_default_dtype(before)
    return model.to(device, dtype)


def save(name):
    """Saves a model with random bf16 weights, once, as real files are."""
    folder = f"{SAVED}/{name}"
    if not os.path.exists(folder):
        random_model(dict(model=name)).save_pretrained(folder)
    return folder


def peft_config(case):
    from peft import LoraConfig

    return LoraConfig(
        r=case["lora"], lora_alpha=16, lora_dropout=case.get("lora_dropout", 0.0),
        target_modules=case.get("targets", "all-linear"), task_type="CAUSAL_LM", use_dora=bool(case.get("dora")),
    )


def quantised(case, row):
    """The base quantised while it is loaded from files, with PEFT's adapters; the load's peak goes into the row."""
    import torch
    from peft import get_peft_model, prepare_model_for_kbit_training
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig

    if case["base"] == "int8":
        quantisation = BitsAndBytesConfig(load_in_8bit=True)
    else:
        quantisation = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16,
            bnb_4bit_use_double_quant=bool(case.get("double_quant")),
            bnb_4bit_quant_storage=getattr(torch, case.get("quant_storage", "uint8")),
        )
    torch.cuda.reset_peak_memory_stats()
    model = AutoModelForCausalLM.from_pretrained(
        f"{SAVED}/{case['model']}", quantization_config=quantisation, dtype=torch.bfloat16, device_map={"": 0}
    )
    model.config.use_cache = False
    row["load_peak"] = torch.cuda.max_memory_allocated()
    row["load_reserved"] = torch.cuda.memory_reserved()
    row["load_end"] = torch.cuda.memory_allocated()
    keywords = dict(use_reentrant=False)
    if case.get("kbit"):
        model = prepare_model_for_kbit_training(
            model, use_gradient_checkpointing=bool(case.get("ckpt")), gradient_checkpointing_kwargs=keywords
        )
    elif case.get("ckpt"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=keywords)
        model.enable_input_require_grads()
    row["prepared_end"] = torch.cuda.memory_allocated()
    # from_pretrained gives a model in eval mode, which checkpoints nothing.
    return get_peft_model(model, peft_config(case)).train()


def optimizer_of(case, parameters):
    import torch

    name = case.get("optim", "adamw-fused")
    parameters = [p for p in parameters if p.requires_grad]
    if name == "adamw-fused":
        return torch.optim.AdamW(parameters, lr=1e-5, fused=True)
    import bitsandbytes as bnb

    kinds = {
        "adamw-8bit": bnb.optim.AdamW8bit, "paged-adamw-8bit": bnb.optim.PagedAdamW8bit,
        "paged-adamw-32bit": bnb.optim.PagedAdamW32bit, "adamw-bnb": bnb.optim.AdamW, "lion": bnb.optim.Lion,
        "lion-8bit": bnb.optim.Lion8bit, "paged-lion-8bit": bnb.optim.PagedLion8bit, "ademamix-8bit": bnb.optim.AdEMAMix8bit,
    }
    return kinds[name](parameters, lr=1e-5)


def train(case, row, model):
    """Four steps of a bare loop; peaks by step."""
    import torch

    optimizer = optimizer_of(case, model.parameters())
    gc.collect()
    torch.cuda.empty_cache()
    row["built"] = torch.cuda.memory_allocated()
    ids = torch.randint(0, config_of(case).vocab_size, (case["batch"], case["seq"]), device="cuda")
    data = dict(input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids.clone())
    row["peaks"], row["marks"] = [], []
    for _step in range(4):
        torch.cuda.reset_peak_memory_stats()
        marks = {}
        with torch.autocast("cuda", torch.bfloat16, enabled=case.get("amp") == "bf16"):
            loss = model(**data).loss
        marks["forward"] = torch.cuda.max_memory_allocated()
        loss.backward()
        del loss
        marks["backward"] = torch.cuda.max_memory_allocated()
        optimizer.step()
        torch.cuda.synchronize()
        marks["optimizer"] = torch.cuda.max_memory_allocated()
        optimizer.zero_grad(set_to_none=True)
        row["peaks"].append(torch.cuda.max_memory_allocated())
        row["marks"].append(marks)


def run_qlora(case, row):
    train(case, row, quantised(case, row))


def run_optim(case, row):
    model = random_model(case)
    if case.get("ckpt"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
    if case.get("lora"):
        from peft import get_peft_model

        if case.get("ckpt"):
            model.enable_input_require_grads()
        model = get_peft_model(model, peft_config(case))
    train(case, row, model.train())


def run_liger(case, row):
    from liger_kernel.transformers import _apply_liger_kernel_to_instance

    model = random_model(case)
    _apply_liger_kernel_to_instance(model=model, **case.get("liger", {}))
    if case.get("ckpt"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
    train(case, row, model.train())


def run_zero(case, row):
    """DeepSpeed's engine as rank 0 of a world that is not there."""
    import torch
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    world = case["world"]
    os.environ.update(
        RANK="0", LOCAL_RANK="0", WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(20000 + os.getpid() % 20000)
    )
    dist.init_process_group("fake", rank=0, world_size=world, store=FakeStore())
    import deepspeed

    deepspeed.init_distributed(dist_backend="fake", auto_mpi_discovery=False, init_method=None)
    zero = dict(stage=case["stage"], overlap_comm=True, contiguous_gradients=True, reduce_bucket_size=case.get("bucket", 5e8))
    if case["stage"] < 3:
        zero["allgather_bucket_size"] = case.get("bucket", 5e8)
    else:
        zero.update(stage3_prefetch_bucket_size=5e7, stage3_param_persistence_threshold=1e5, stage3_max_live_parameters=1e9)
    zero.update(case.get("zero", {}))
    if case.get("offload"):
        zero["offload_optimizer"] = dict(device="cpu", pin_memory=True)
    if case.get("offload") == "all":
        zero["offload_param"] = dict(device="cpu", pin_memory=True)
    settings = dict(
        train_micro_batch_size_per_gpu=case["batch"], gradient_accumulation_steps=case.get("accum", 1),
        zero_optimization=zero, bf16=dict(enabled=case.get("precision") == "bf16"), zero_allow_untested_optimizer=True,
        zero_force_ds_cpu_optimizer=False, wall_clock_breakdown=False, steps_per_print=10**9,
    )
    if case.get("clip"):
        settings["gradient_clipping"] = 1.0
    if case["stage"] == 3:
        with deepspeed.zero.Init(config_dict_or_path=settings):
            from transformers import AutoModelForCausalLM

            before = torch.get_default_dtype()
            if case.get("precision") == "bf16":
                torch.set_default_dtype(torch.bfloat16)
            model = AutoModelForCausalLM.from_config(config_of(case))
            torch.set_default_dtype(before)
    else:
        model = random_model(case)
    if case.get("ckpt"):
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=not case.get("offload"))
    engine, _, _, _ = deepspeed.initialize(model=model, optimizer=optimizer, config=settings, dist_init_required=False)
    gc.collect()
    torch.cuda.empty_cache()
    row["built"] = torch.cuda.memory_allocated()
    vocabulary = config_of(case).vocab_size
    row["peaks"], row["marks"] = [], []
    for _step in range(4):
        torch.cuda.reset_peak_memory_stats()
        for _micro in range(case.get("accum", 1)):
            marks = {}
            ids = torch.randint(0, vocabulary, (case["batch"], case["seq"]), device="cuda")
            loss = engine(input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids.clone()).loss
            marks["forward"] = torch.cuda.max_memory_allocated()
            engine.backward(loss)
            del loss
            marks["backward"] = torch.cuda.max_memory_allocated()
            engine.step()
            torch.cuda.synchronize()
            marks["optimizer"] = torch.cuda.max_memory_allocated()
        row["peaks"].append(torch.cuda.max_memory_allocated())
        row["marks"].append(marks)


def tokenizer_of(size):
    """A word-level tokenizer of the wanted size, since nothing can be downloaded."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {f"w{index}": index for index in range(size - 3)}
    words.update({"<pad>": size - 3, "<eos>": size - 2, "<unk>": size - 1})
    plain = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }} {% endfor %}"
    return tokenizer


class StepPeaks:
    """Makes the callback that notes the peak of every step."""

    def __new__(cls, row):
        import torch
        from transformers import TrainerCallback

        class Peaks(TrainerCallback):
            def on_step_end(self, *_arguments, **_keywords):
                torch.cuda.synchronize()
                row.setdefault("peaks", []).append(torch.cuda.max_memory_allocated())
                row.setdefault("reserved_steps", []).append(torch.cuda.memory_reserved())
                torch.cuda.reset_peak_memory_stats()

        return Peaks()


def texts(case, count):
    import random

    chance = random.Random(0)
    lengths = [case["seq"] if not case.get("ragged") or i % case["batch"] == 0 else chance.randint(case["seq"] // 4, case["seq"]) for i in range(count)]
    return [[f"w{chance.randrange(1000)}" for _ in range(length - 1)] for length in lengths]


def trainer_base(case):
    return dict(
        output_dir=f"/tmp/out-{os.getpid()}", per_device_train_batch_size=case["batch"],
        gradient_accumulation_steps=case.get("accum", 1), max_steps=4, report_to=[], save_strategy="no", logging_steps=1,
        disable_tqdm=True, bf16=case.get("amp") == "bf16", gradient_checkpointing=bool(case.get("ckpt")),
        gradient_checkpointing_kwargs=dict(use_reentrant=False), **case.get("args", {}),
    )


def run_sft(case, row):
    import torch
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    model = random_model(case)
    rows = texts(case, case["batch"] * case.get("accum", 1) * 4 * (4 if case.get("packing") else 1))
    arguments = SFTConfig(max_length=case["seq"], packing=bool(case.get("packing")), use_liger_kernel=bool(case.get("liger")), **trainer_base(case))
    trainer = SFTTrainer(
        model=model, args=arguments, train_dataset=Dataset.from_dict({"text": [" ".join(r) for r in rows]}),
        processing_class=tokenizer_of(config_of(case).vocab_size), callbacks=[StepPeaks(row)],
        peft_config=peft_config(case) if case.get("lora") else None,
    )
    row["optim_used"], row["dtypes"] = str(trainer.args.optim), sorted({str(p.dtype) for p in trainer.model.parameters()})
    row["loss_type"] = str(getattr(trainer.args, "loss_type", None))
    torch.cuda.reset_peak_memory_stats()
    trainer.train()


def run_dpo(case, row):
    import torch
    from datasets import Dataset
    from trl import DPOConfig, DPOTrainer

    model = random_model(case)
    count = case["batch"] * case.get("accum", 1) * 4
    half = case["seq"] // 2
    prompts, answers = texts(dict(case, seq=half), count), texts(dict(case, seq=half), count)
    data = Dataset.from_dict(dict(prompt=[" ".join(p) for p in prompts], chosen=[" " + " ".join(a) for a in answers], rejected=[" " + " ".join(a[::-1]) for a in answers]))
    arguments = DPOConfig(max_length=case["seq"], **trainer_base(case))
    trainer = DPOTrainer(
        model=model, ref_model=None, args=arguments, train_dataset=data, processing_class=tokenizer_of(config_of(case).vocab_size),
        callbacks=[StepPeaks(row)], peft_config=peft_config(case) if case.get("lora") else None,
    )
    row["optim_used"], row["dtypes"] = str(trainer.args.optim), sorted({str(p.dtype) for p in trainer.model.parameters()})
    torch.cuda.reset_peak_memory_stats()
    trainer.train()


RUNNERS = dict(qlora=run_qlora, optim=run_optim, zero=run_zero, liger=run_liger, sft=run_sft, dpo=run_dpo)


def cases():
    for model, batch, seq in (("qwen2.5-0.5b", 2, 1024), ("tinyllama-1.1b", 2, 1024), ("llama-3.2-1b", 1, 2048), ("llama-2-7b", 1, 1024)):
        base = dict(group="qlora", model=model, batch=batch, seq=seq, lora=16, base="nf4")
        for checkpointing in (False, True):
            for kbit in (False, True):
                for amp in ("bf16", None):
                    yield dict(base, ckpt=checkpointing, kbit=kbit, amp=amp, double_quant=kbit)
        yield dict(base, base="int8", ckpt=True, kbit=True, amp="bf16")
        yield dict(base, base="int8", ckpt=False, kbit=False, amp="bf16")
        yield dict(base, ckpt=True, kbit=True, amp="bf16", double_quant=True, optim="paged-adamw-8bit")
        yield dict(base, ckpt=True, amp="bf16", quant_storage="bfloat16")
        yield dict(base, ckpt=True, kbit=True, amp="bf16", lora_dropout=0.05, targets=["q_proj", "v_proj"])
    for model, batch, seq in (("gpt2", 4, 1024), ("qwen2.5-0.5b", 2, 1024), ("tinyllama-1.1b", 1, 1024)):
        for optim in ("adamw-8bit", "paged-adamw-8bit", "paged-adamw-32bit", "adamw-bnb", "lion", "lion-8bit"):
            yield dict(group="optim", model=model, batch=batch, seq=seq, precision="bf16", optim=optim)
            yield dict(group="optim", model=model, batch=batch, seq=seq, precision="fp32", amp="bf16", optim=optim, ckpt=True)
        yield dict(group="optim", model=model, batch=batch, seq=seq, precision="bf16", lora=16, optim="paged-adamw-8bit", ckpt=True, targets="all-linear")
        if model != "gpt2":
            for checkpointing in (False, True):
                yield dict(group="optim", model=model, batch=batch, seq=seq, precision="bf16", lora=16, dora=True, ckpt=checkpointing)
    for model, batch, seq in (("gpt2", 2, 1024), ("qwen2.5-0.5b", 1, 1024), ("tinyllama-1.1b", 1, 1024)):
        for stage in (1, 2, 3):
            for world in (2, 4):
                base = dict(group="zero", model=model, batch=batch, seq=seq, stage=stage, world=world, precision="bf16")
                yield dict(base)
                yield dict(base, ckpt=True, clip=True)
                if world == 2:
                    yield dict(base, accum=2, ckpt=True)
                    yield dict(base, offload="optimizer", ckpt=True)
                    yield dict(base, bucket=5e7, ckpt=True)
                if stage == 3 and world == 2:
                    yield dict(base, offload="all", ckpt=True)
    for model, batch, seq in (("qwen2.5-0.5b", 2, 2048), ("tinyllama-1.1b", 2, 1024), ("llama-3.2-1b", 1, 2048), ("mistral-7b", 1, 1024)):
        for checkpointing in (False, True):
            yield dict(group="liger", model=model, batch=batch, seq=seq, precision="bf16", ckpt=checkpointing)
            if model != "mistral-7b":
                yield dict(group="liger", model=model, batch=batch, seq=seq, precision="fp32", amp="bf16", ckpt=checkpointing)
        yield dict(group="liger", model=model, batch=batch, seq=seq, precision="bf16", liger=dict(fused_linear_cross_entropy=False, cross_entropy=True))
    for model, batch, seq in (("qwen2.5-0.5b", 4, 1024), ("tinyllama-1.1b", 2, 1024)):
        for extra in (
            dict(precision="fp32", amp="bf16"), dict(precision="fp32", amp="bf16", ckpt=True), dict(precision="bf16", amp="bf16", ckpt=True),
            dict(precision="bf16", amp="bf16", ckpt=True, lora=16), dict(precision="bf16", amp="bf16", lora=16),
            dict(precision="fp32", amp="bf16", ckpt=True, ragged=True), dict(precision="fp32", amp="bf16", ckpt=True, ragged=True, packing=True),
            dict(precision="bf16", amp="bf16", ckpt=True, packing=True), dict(precision="bf16", amp="bf16", ckpt=True, liger=True),
        ):
            yield dict(group="sft", model=model, batch=batch, seq=seq, **extra)
        for extra in (
            dict(precision="bf16", amp="bf16", ckpt=True), dict(precision="bf16", amp="bf16", ckpt=True, lora=16), dict(precision="bf16", amp="bf16", lora=16),
            dict(precision="fp32", amp="bf16", ckpt=True), dict(precision="bf16", amp="bf16", ckpt=True, lora=16, args=dict(precompute_ref_log_probs=True)),
        ):
            yield dict(group="dpo", model=model, batch=batch, seq=seq, **extra)


def child(case, path):
    import torch

    row, started = dict(case), time.time()
    try:
        torch.cuda.init()
        torch.zeros(1, device="cuda")
        RUNNERS[case["group"]](case, row)
        row["peak_alloc"] = max(row["peaks"])
        row["reserved"], row["nvml"] = torch.cuda.memory_reserved(), process_bytes()
    except BaseException as error:
        row.update(error=type(error).__name__, message=str(error)[:300], trace=traceback.format_exc()[-900:])
    row["took_s"] = round(time.time() - started, 1)
    with open(path, "a") as out:
        out.write(json.dumps(row) + "\n")
    os._exit(0)


def need_gb(case):
    size = SIZE_GB[case["model"]]
    return size * (6 if case["group"] in ("optim", "zero", "liger", "sft", "dpo") else 1.6) + 6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--groups", default=",".join(RUNNERS))
    parser.add_argument("--parallel", type=int, default=6)
    parser.add_argument("--limit", type=float, default=500)
    parser.add_argument("--budget-gb", type=float, default=125)
    parser.add_argument("--most", type=int, default=10**6, help="cases a group, to try it out")
    arguments = parser.parse_args()
    import torch  # noqa: F401 - imported once, before the children are forked; peft asks the card
    import transformers  # noqa: F401

    wanted, counts, todo = arguments.groups.split(","), {}, []
    for case in cases():
        counts[case["group"]] = counts.get(case["group"], 0) + 1
        if case["group"] in wanted and counts[case["group"]] <= arguments.most:
            todo.append(case)
    deadline, running = time.time() + arguments.limit, {}
    names = sorted({case["model"] for case in todo if case["group"] == "qlora"})
    savers = []
    for name in names:
        pid = os.fork()
        if pid == 0:
            save(name)
            os._exit(0)
        savers.append(pid)
    for pid in savers:
        os.waitpid(pid, 0)
    print("saved", names, round(time.time() - deadline + arguments.limit), "s", flush=True)
    while (todo and time.time() < deadline) or running:
        while todo and len(running) < arguments.parallel and time.time() < deadline:
            fit = next((i for i, c in enumerate(todo) if need_gb(c) + sum(running.values()) <= arguments.budget_gb or not running), None)
            if fit is None:
                break
            case = todo.pop(fit)
            pid = os.fork()
            if pid == 0:
                child(case, arguments.out)
            running[pid] = need_gb(case)
        pid, _status = os.wait()
        running.pop(pid, None)
    versions = {}
    for package in ("torch", "transformers", "peft", "accelerate", "bitsandbytes", "deepspeed", "trl", "liger-kernel"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    print("left", len(todo), json.dumps(versions), flush=True)


if __name__ == "__main__":
    main()
