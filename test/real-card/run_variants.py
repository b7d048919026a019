"""Runs every generated train.py for 20 steps and records how it ended.

usage: run_variants.py VARIANTS_FOLDER RUNS.json [PARALLEL]

Variants for one card run on it. Those with ranks run as two CPU processes over gloo, and on the cards over NCCL: two where there are
two, else one. Those whose one process takes several cards run on both. Some run again with a failure planted in rank 1: all ranks
must end, and its log must hold the error. On the cards those and RECORDED run with --memory-snapshot; what was written is named.
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
from dataclasses import dataclass
from pathlib import Path

NOT_RUN = {
    "qlora": "needs weights and bitsandbytes",
    "zero2": "deepspeed is not installed",
    "zero3-nvme": "deepspeed is not installed",
}
PLANTED = '            if step == 3 and rank == 1:\n                raise RuntimeError("planted failure")\n'
STEP = "            step += 1\n"
FAILING = ("ddp", "fsdp", "pipeline", "tensor")
RECORDED = (*FAILING, "single", "placed")
RUNS = Path("/tmp/headroom-runs")


@dataclass(frozen=True)
class Run:
    """One start of one variant. `where`: cpu1, cpu2, gpu1, gpu1r (one rank), gpu2."""

    variant: str
    where: str
    failing: bool = False

    @property
    def records_memory(self) -> bool:
        return self.where.startswith("gpu") and self.variant in RECORDED

    @property
    def folder(self) -> Path:
        return RUNS / f"{self.variant}-{self.where}{'-failing' if self.failing else ''}"


def processes_in(folder: Path) -> int:
    """How many processes still work in a folder."""
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += os.path.realpath(f"/proc/{pid}/cwd") == os.path.realpath(folder)
        except OSError:
            continue
    return found


def command_of(run: Run, has_ranks: bool) -> list[str]:
    if not has_ranks:
        return [sys.executable]
    return ["torchrun", "--standalone", f"--nproc-per-node={1 if run.where == 'gpu1r' else 2}"]


def seconds_since_failure(folder: Path) -> float | None:
    """From the planted error in rank 1's log until now."""
    for line in (folder / "logs" / "rank1.log").read_text().split("\n"):
        if "this rank failed first" in line:
            at = datetime.datetime.strptime(line[:23], "%Y-%m-%d %H:%M:%S,%f")
            return round((datetime.datetime.now() - at).total_seconds(), 1)
    return None


def carry_out(source: Path, run: Run) -> dict[str, object]:
    folder = run.folder
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source / run.variant, folder)
    script = folder / "train.py"
    text = script.read_text()
    if run.failing:
        at = text.index(STEP)
        script.write_text(text[:at] + PLANTED + text[at:])
    environment = dict(os.environ, OMP_NUM_THREADS="2", TOKENIZERS_PARALLELISM="false")
    if run.where.startswith("cpu"):
        environment["CUDA_VISIBLE_DEVICES"] = ""
    command = [*command_of(run, "torch.distributed" in text), "train.py", "--steps", "20", "--report-every", "5"]
    if run.records_memory:
        command += ["--memory-snapshot", "snapshots"]
    started = time.time()
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=150)
        code: int | str = done.returncode
        output = done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        code, output = "timeout", str(late.stdout)[-2000:] + str(late.stderr)[-2000:]
    seconds = time.time() - started
    ended_after = seconds_since_failure(folder) if run.failing else None
    time.sleep(0.5)
    logs = {file.name: file.read_text() for file in sorted((folder / "logs").glob("*.log"))}
    lines = [line for log in logs.values() for line in log.split("\n")]
    if (code == 0) == run.failing:
        print(f"--- {run}\n{output[-1500:]}", flush=True)
    return {
        "variant": run.variant,
        "where": run.where,
        "failing": run.failing,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "rc": code,
        "seconds": round(seconds, 1),
        "left": processes_in(folder),
        "done": ["done: 20 steps" in log for log in logs.values()],
        "failedIn": next((name for name, log in logs.items() if "planted failure" in log), None) if run.failing else None,
        "endedAfter": ended_after,
        "memorySnapshots": sorted(file.name for file in (folder / "snapshots").glob("*.pickle")),
        "peak": [line.split("headroom: ")[1] for line in lines if "measured peak" in line][:2],
    }


def runs_of(source: Path, cards: int) -> list[Run]:
    runs: list[Run] = []
    for name in sorted(os.listdir(source)):
        if name in NOT_RUN:
            continue
        text = (source / name / "train.py").read_text()
        if "torch.distributed" in text:
            runs.append(Run(name, "cpu2"))
            if cards > 1:
                runs.append(Run(name, "gpu2"))
            elif "STAGE_LAYERS" not in text:
                runs.append(Run(name, "gpu1r"))
            if name in FAILING:
                runs.append(Run(name, "gpu2" if cards > 1 else "cpu2", failing=True))
        elif "CARDS = " in text:
            runs.append(Run(name, "gpu2" if cards > 1 else "cpu1"))
        else:
            runs.append(Run(name, "gpu1"))
    return runs


def main() -> int:
    import peft
    import torch
    import transformers

    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    parallel = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    planned = runs_of(source, torch.cuda.device_count())
    runs: list[dict] = []
    with concurrent.futures.ThreadPoolExecutor(parallel) as pool:
        running = [pool.submit(carry_out, source, run) for run in planned]
        for done in concurrent.futures.as_completed(running):
            runs.append(done.result())
            target.write_text(json.dumps(runs, indent=1))
    runs.sort(key=lambda run: (run["variant"], run["failing"], run["where"]))
    record = {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "peft": peft.__version__,
        "card": torch.cuda.get_device_name(0) if torch.cuda.is_available() else None,
        "cards": torch.cuda.device_count(),
        "runs": runs,
        "notRun": NOT_RUN,
        "date": datetime.date.today().isoformat(),
    }
    target.write_text(json.dumps(record, indent=1))
    good = [r for r in runs if (r["rc"] == 0) != r["failing"] and r["left"] == 0]
    print(f"{len(good)} of {len(runs)} as they should be")
    return 0 if len(good) == len(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
