"""Runs folders that `headroom plan --write` made, as they are, and compares the memory they take with the plan's.

usage: run_plans.py PLANS_FOLDER RESULT.json [PARALLEL]

Each folder holds what the command wrote and `plan.json`, its answer with --json. A plan is kept when its script ends cleanly after 20
steps, leaves no process, and every rank's process as nvidia-smi lists it at most lies within the plan's interval.
"""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pynvml

MIB = 2**20
PEAK = re.compile(r"headroom: (?:card (\d+): )?measured peak (\d+) bytes, planned (\d+) bytes")


class Watch:
    """The most that each process held on each card, looked at five times a second."""

    def __init__(self) -> None:
        pynvml.nvmlInit()
        self.handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        self.most: dict[tuple[int, int], int] = {}
        self.folders: dict[int, str] = {}
        self.running = True
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self) -> None:
        while self.running:
            for card, handle in enumerate(self.handles):
                for process in pynvml.nvmlDeviceGetComputeRunningProcesses(handle):
                    self._note(card, process.pid, process.usedGpuMemory or 0)
            time.sleep(0.2)

    def _note(self, card: int, pid: int, used: int) -> None:
        key = card, pid
        self.most[key] = max(self.most.get(key, 0), used)
        if pid not in self.folders:
            try:
                self.folders[pid] = os.path.realpath(f"/proc/{pid}/cwd")
            except OSError:
                self.folders[pid] = ""

    def held_by(self, folder: Path) -> list[int]:
        """One figure a process and card, by card and then by pid."""
        real = os.path.realpath(folder)
        return [used for (_, pid), used in sorted(self.most.items()) if self.folders.get(pid) == real]

    def stop(self) -> None:
        self.running = False
        self.thread.join()


def left_in(folder: Path) -> int:
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += os.path.realpath(f"/proc/{pid}/cwd") == os.path.realpath(folder)
        except OSError:
            continue
    return found


def run_plan(source: Path, watch: Watch) -> dict[str, object]:
    folder = Path("/tmp/headroom-plans") / source.name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    plan = json.loads((folder / "plan.json").read_text())["plans"][0]
    started = time.time()
    try:
        done = subprocess.run(
            ["bash", "launch.sh", "--steps", "20", "--report-every", "5"],
            cwd=folder, capture_output=True, text=True, timeout=170, check=False,
        )
        code: int | str = done.returncode
        output = done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        code, output = "timeout", f"{late.stdout!r}{late.stderr!r}"
    seconds = time.time() - started
    time.sleep(0.5)
    if code != 0:
        print(f"--- {source.name}\n{output[-2500:]}", flush=True)
    logs = [file.read_text() for file in sorted((folder / "logs").glob("rank*.log"))]
    peaks = [int(found[2]) for log in logs for found in PEAK.finditer(log)]
    steps = [float(found[1]) for log in logs for found in re.finditer(r"step 20 .*?([\d.]+) s/step", log)]
    held = watch.held_by(folder)
    ranks = [
        {
            "plannedAllocatedBytes": card["allocatedPeakBytes"],
            "measuredAllocatedBytes": peaks[i] if i < len(peaks) else None,
            "plannedProcessBytes": card["processBytes"],
            "interval": card["interval"],
            "measuredProcessBytes": held[i] if i < len(held) else None,
            "within": i < len(held) and card["interval"]["lowBytes"] <= held[i] <= card["interval"]["highBytes"],
        }
        for i, card in enumerate(plan["cards"])
    ]
    settings = {
        key: plan.get(key)
        for key in ("strategy", "schedule", "world", "precision", "optimizer", "offload", "microBatch", "accumulationSteps")
    }
    settings["checkpointing"] = plan["checkpointing"]["kind"] if isinstance(plan["checkpointing"], dict) else plan["checkpointing"]
    return {
        "plan": source.name, **settings, "rc": code, "seconds": round(seconds, 1), "left": left_in(folder),
        "done": all("done: 20 steps" in log for log in logs) and bool(logs), "secondsPerStep": max(steps, default=None), "ranks": ranks,
    }


def main() -> int:
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    parallel = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    watch = Watch()
    folders = sorted(path for path in source.iterdir() if path.is_dir())
    results: list[dict] = []
    with concurrent.futures.ThreadPoolExecutor(parallel) as pool:
        running = [pool.submit(run_plan, folder, watch) for folder in folders]
        for done in concurrent.futures.as_completed(running):
            # Written as they come: what was measured must outlive whoever stops this program.
            results.append(done.result())
            target.write_text(json.dumps(sorted(results, key=lambda result: result["plan"]), indent=1))
    watch.stop()
    for result in results:
        for rank, figures in enumerate(result["ranks"]):
            planned, measured = figures["plannedProcessBytes"], figures["measuredProcessBytes"]
            print(
                f"{result['plan']:28} rank {rank} rc {result['rc']} planned {planned / MIB:.0f} MiB, "
                f"measured {(measured or 0) / MIB:.0f} MiB, {'within' if figures['within'] else 'OUTSIDE'}; allocated "
                f"{(figures['measuredAllocatedBytes'] or 0) / figures['plannedAllocatedBytes'] - 1:+.3%}"
            )
    kept = [r for r in results if r["rc"] == 0 and r["left"] == 0 and all(x["within"] for x in r["ranks"])]
    print(f"{len(kept)} of {len(results)} plans are kept")
    return 0 if len(kept) == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
