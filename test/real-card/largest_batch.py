"""Part 5: the largest micro-batch that really completes two steps on an emulated 24 GiB card, against `maxMicroBatch`.

usage: largest_batch.py QUESTIONS_FOLDER RESULT.json [PARALLEL]     the folder as make_questions.py and the command left it
"""

import concurrent.futures
import gc
import json
import subprocess
import sys
from pathlib import Path

MIB = 2**20
MOST = 256


def measure(request: dict, config_file: Path) -> int:
    """By doubling, then by halving the distance, in one process."""
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

    def batch_of(size: int) -> dict:
        if "Image" in class_name:
            return {"pixel_values": torch.randn(size, 3, 224, 224, device="cuda"), "labels": torch.randint(0, 1000, (size,), device="cuda")}
        ids = torch.randint(0, config.vocab_size, (size, request["seq"]), device="cuda")
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids.clone()}

    def completes(size: int) -> bool:
        try:
            batch = batch_of(size)
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
            return True
        except torch.OutOfMemoryError:
            return False
        finally:
            optimizer.zero_grad(set_to_none=True)
            batch = None
            gc.collect()
            torch.cuda.empty_cache()

    low, high = 0, 1
    while high <= MOST and completes(high):
        low, high = high, high * 2
    high = min(high, MOST + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if completes(middle) else (low, middle)
    return low


def in_own_process(folder: Path, index: int) -> dict:
    done = subprocess.run(
        [sys.executable, __file__, str(folder), "--measure", str(index)], capture_output=True, text=True, timeout=170, check=False
    )
    if done.returncode != 0:
        return {"error": done.stderr[-600:]}
    return {"measured": int(done.stdout.split()[-1])}


def main() -> int:
    folder = Path(sys.argv[1])
    requests = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
    if sys.argv[2] == "--measure":
        request = requests[int(sys.argv[3])]
        print(measure(request, folder / Path(request["model"]).name))
        return 0
    answers = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    results: list[dict] = []
    with concurrent.futures.ThreadPoolExecutor(int(sys.argv[3]) if len(sys.argv) > 3 else 1) as pool:
        running = {pool.submit(in_own_process, folder, index): index for index in range(len(requests))}
        for done in concurrent.futures.as_completed(running):
            request, answer = requests[running[done]], answers[running[done]]
            asked = {key: value for key, value in request.items() if key not in ("model", "cardMib", "contextMib")}
            result = {**asked, "model": Path(request["model"]).stem, "planned": answer.get("maxMicroBatch"), **done.result()}
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
