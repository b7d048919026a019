"""Part 5: the largest micro-batch with which a process completes two steps on an emulated 24 GiB card, against what `estimate` says.

Each size is tried in a process of its own, as a training begins. `maxMicroBatch` is what a search in one process finds; where a start
takes less, a warning of the answer says how much.

usage: largest_batch.py QUESTIONS_FOLDER RESULT.json [PARALLEL]     the folder as make_questions.py and the command left it
"""

import concurrent.futures
import gc
import json
import re
import subprocess
import sys
from pathlib import Path

MIB = 2**20
MOST = 256


def completes(request: dict, config_file: Path, size: int) -> bool:
    """Two steps of that micro-batch, as the first thing a process does: what it did before would leave other free places behind."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageClassification, AutoModelForMaskedLM

    config = AutoConfig.from_pretrained(config_file)
    config.use_cache = False
    class_name = config.architectures[0]
    kind = AutoModelForMaskedLM if "MaskedLM" in class_name else AutoModelForImageClassification if "Image" in class_name else AutoModelForCausalLM
    precision = request["precision"]
    with torch.device("cuda"):
        model = kind.from_config(config, dtype=torch.bfloat16 if precision == "bf16" else torch.float32)
    if request.get("method") == "lora":
        from peft import LoraConfig, get_peft_model

        model = get_peft_model(model, LoraConfig(r=request["loraRank"], lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM"))
        if request.get("checkpointing") == "full":
            model.enable_input_require_grads()
    if request.get("checkpointing") == "full":
        whole = model.base_model.model if request.get("method") == "lora" else model
        whole.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model.train()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = {
        "adamw": lambda: torch.optim.AdamW(trained, lr=1e-5),
        "adamw-fused": lambda: torch.optim.AdamW(trained, lr=1e-5, fused=True),
        "sgd-momentum": lambda: torch.optim.SGD(trained, lr=1e-5, momentum=0.9),
    }[request["optimizer"]]()
    scaler = torch.amp.GradScaler("cuda") if precision == "amp-fp16" else None
    gc.collect()
    torch.cuda.empty_cache()
    limit = (request["cardMib"][0] - request["contextMib"]) * MIB
    torch.cuda.set_per_process_memory_fraction(limit / torch.cuda.get_device_properties(0).total_memory)

    try:
        batch = batch_of(request, class_name, config.vocab_size if "Image" not in class_name else 0, size)
        for _ in range(2):
            half = torch.float16 if precision == "amp-fp16" else torch.bfloat16
            with torch.autocast("cuda", half, enabled=precision.startswith("amp")):
                loss = model(**batch).loss
            (scaler.scale(loss) if scaler else loss).backward()
            del loss
            if scaler:
                scaler.step(optimizer)
                scaler.update()
            else:
                optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
    except torch.OutOfMemoryError:
        return False
    return True


def batch_of(request: dict, class_name: str, vocabulary: int, size: int) -> dict:
    import torch

    if "Image" in class_name:
        return {"pixel_values": torch.randn(size, 3, 224, 224, device="cuda"), "labels": torch.randint(0, 1000, (size,), device="cuda")}
    ids = torch.randint(0, vocabulary, (size, request["seq"]), device="cuda")
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids.clone()}


def in_own_process(folder: Path, index: int, size: int) -> bool:
    """Raises RuntimeError where the trial ended otherwise than by fitting or not."""
    done = subprocess.run(
        [sys.executable, __file__, str(folder), "--try", str(index), str(size)], capture_output=True, text=True, timeout=120, check=False
    )
    answer = done.stdout.split()[-1:]
    if answer not in (["fits"], ["full"]):
        raise RuntimeError(done.stderr[-600:])
    return answer == ["fits"]


def planned_start(answer: dict) -> int:
    """What a training can begin with, by an answer of `headroom estimate --batch` in English."""
    said = [re.search(r"it can begin with ([\d,]+)", warning) for warning in answer["warnings"]]
    return next((int(found[1].replace(",", "")) for found in said if found), answer["maxMicroBatch"])


def largest(folder: Path, index: int, planned: int) -> dict:
    """Upwards from the planned size while it fits, else downwards until it does."""
    tried: dict[int, bool] = {}
    size = max(1, min(planned, MOST))
    try:
        fits = tried[size] = in_own_process(folder, index, size)
        while tried[size] == fits and 1 <= size + (1 if fits else -1) <= MOST:
            size += 1 if fits else -1
            tried[size] = in_own_process(folder, index, size)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return {"error": str(error)}
    return {"measured": max((size for size, fits in tried.items() if fits), default=0), "tried": tried}


def main() -> int:
    folder = Path(sys.argv[1])
    requests = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
    if sys.argv[2] == "--try":
        request = requests[int(sys.argv[3])]
        print("fits" if completes(request, folder / Path(request["model"]).name, int(sys.argv[4])) else "full")
        return 0
    answers = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    results: list[dict] = []
    with concurrent.futures.ThreadPoolExecutor(int(sys.argv[3]) if len(sys.argv) > 3 else 1) as pool:
        running = {
            pool.submit(largest, folder, index, planned_start(answer)): index for index, answer in enumerate(answers)
        }
        for done in concurrent.futures.as_completed(running):
            request, answer = requests[running[done]], answers[running[done]]
            asked = {key: value for key, value in request.items() if key not in ("model", "cardMib", "contextMib")}
            result = {**asked, "model": Path(request["model"]).stem, "planned": planned_start(answer), **done.result()}
            results.append(result)
            # Written as they come: what was measured must outlive whoever stops this program.
            Path(sys.argv[2]).write_text(json.dumps(results, indent=1))
            found = result.get("measured", result.get("error"))
            print(result["model"], result["precision"], "planned", result["planned"], "measured", found, flush=True)
    exact = sum(min(r["planned"], MOST) == r.get("measured") for r in results)
    print(f"{exact} of {len(results)} exact")
    return 0 if exact == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
