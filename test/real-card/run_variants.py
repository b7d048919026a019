"""Runs every generated train.py for 20 steps and records how it ended.

usage: run_variants.py VARIANTS_FOLDER RUNS.json

Variants for one card run on the card. Those with ranks run twice: two CPU processes over gloo, and one rank over NCCL.
Two of them run once more with a failure planted in rank 1: all ranks must end, and its log must hold the error.
"""

import concurrent.futures
import datetime
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time

NOT_RUN = {
    "qlora": "needs weights and bitsandbytes",
    "zero2": "deepspeed is not installed",
    "zero3-nvme": "deepspeed is not installed",
}
PLANTED = '            if step == 3 and rank == 1:\n                raise RuntimeError("planted failure")\n'
STEP = "            step += 1\n"


def processes_in(folder):
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += os.path.realpath(f"/proc/{pid}/cwd") == folder
        except OSError:
            continue
    return found


def run(source, name, where, failing):
    folder = f"/tmp/headroom-runs/{name}-{where}{'-failing' if failing else ''}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(source, name), folder)
    script = os.path.join(folder, "train.py")
    with open(script) as file:
        text = file.read()
    digest = hashlib.sha256(text.encode()).hexdigest()
    if failing:
        at = text.index(STEP)
        with open(script, "w") as file:
            file.write(text[:at] + PLANTED + text[at:])
    environment = dict(os.environ, OMP_NUM_THREADS="2", TOKENIZERS_PARALLELISM="false")
    command = [sys.executable]
    if where != "gpu1":
        command = ["torchrun", "--standalone", f"--nproc-per-node={2 if where == 'cpu2' else 1}"]
    if where == "cpu2":
        environment["CUDA_VISIBLE_DEVICES"] = ""
    started = time.time()
    try:
        done = subprocess.run(
            [*command, "train.py", "--steps", "20", "--report-every", "5"],
            cwd=folder, env=environment, capture_output=True, text=True, timeout=150,
        )
        code = done.returncode
    except subprocess.TimeoutExpired:
        code = "timeout"
    seconds = time.time() - started
    time.sleep(0.5)
    logs = {}
    for file_name in sorted(os.listdir(os.path.join(folder, "logs"))):
        with open(os.path.join(folder, "logs", file_name)) as file:
            logs[file_name] = file.read()
    lines = [line for text in logs.values() for line in text.split("\n")]
    return {
        "variant": name,
        "where": where,
        "failing": failing,
        "sha256": digest,
        "rc": code,
        "seconds": round(seconds, 1),
        "left": processes_in(os.path.realpath(folder)),
        "done": ["done: 20 steps" in text for text in logs.values()],
        "failedIn": next((name for name, text in logs.items() if "planted failure" in text), None) if failing else None,
        "peak": [line.split("headroom: ")[1] for line in lines if "measured peak" in line][:2],
    }


def main():
    import peft
    import torch
    import transformers

    source, target = sys.argv[1:3]
    jobs = []
    for name in sorted(os.listdir(source)):
        if name in NOT_RUN:
            continue
        with open(os.path.join(source, name, "train.py")) as file:
            has_ranks = "torch.distributed" in file.read()
        jobs += [(name, where, False) for where in (("cpu2", "gpu1r") if has_ranks else ("gpu1",))]
    jobs += [(name, "cpu2", True) for name in ("ddp", "fsdp")]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda job: run(source, *job), jobs))
    versions = {"torch": torch.__version__, "transformers": transformers.__version__, "peft": peft.__version__}
    card = torch.cuda.get_device_name(0) if torch.cuda.is_available() else None
    record = dict(versions, card=card, runs=runs, notRun=NOT_RUN, date=datetime.date.today().isoformat())
    with open(target, "w") as file:
        json.dump(record, file, indent=1)
    good = [r for r in runs if (r["rc"] == 0) != r["failing"] and r["left"] == 0]
    print(f"{len(good)} of {len(runs)} as they should be")
    return 0 if len(good) == len(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
