"""Part 1: `headroom watch --json` for a minute beside real jobs, against nvidia-smi's own output at the same moments.

usage: try_watch.py NODE CLI RESULT.json
"""

import datetime
import json
import subprocess
import sys
import time
from pathlib import Path

from machine import MIB, SCRATCH, Headroom, Job, descendants, own_seconds, processor_seconds, snapshots, start

SECONDS = 60
CARDS = "timestamp,index,uuid,memory.used,memory.total"
APPS = "timestamp,gpu_uuid,pid,used_gpu_memory"


def lines_of(file: Path) -> list[tuple[float, list[str]]]:
    """Each line of nvidia-smi with its time, in seconds since the epoch."""
    found = []
    for line in file.read_text().split("\n"):
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) > 1:
            found.append((datetime.datetime.strptime(cells[0], "%Y/%m/%d %H:%M:%S.%f").timestamp(), cells[1:]))
    return found


def near(lines: list[tuple[float, list[str]]], moment: float) -> list[list[str]]:
    """What nvidia-smi printed within 1.2 s of a moment: what changed between two of its readings may show either value."""
    return [cells for at, cells in lines if abs(at - moment) <= 1.2]


def compare(reading: dict, cards: list[tuple[float, list[str]]], apps: list[tuple[float, list[str]]]) -> list[str]:
    """What a Snapshot says otherwise than nvidia-smi did around its moment."""
    wrong = []
    around = near(cards, reading["cardsReadAt"])
    if not around:
        return []
    for card in reading["cards"]:
        used = {int(cells[2]) * MIB for cells in around if int(cells[0]) == card["index"]}
        total = {int(cells[3]) * MIB for cells in around if int(cells[0]) == card["index"]}
        if not min(used) <= card["memoryUsedBytes"] <= max(used):
            wrong.append(f"card {card['index']} used {card['memoryUsedBytes']} not in {sorted(used)}")
        if card["memoryTotalBytes"] not in total:
            wrong.append(f"card {card['index']} total {card['memoryTotalBytes']} not in {sorted(total)}")
    listed: dict[int, set[int]] = {}
    for cells in near(apps, reading["cardsReadAt"]):
        listed.setdefault(int(cells[1]), set()).add(int(cells[2]) * MIB)
    shown = {process["pid"]: process["usedBytes"] for process in reading["processes"]}
    if set(shown) != set(listed):
        wrong.append(f"processes {sorted(shown)} not {sorted(listed)}")
    for pid, used in shown.items():
        if pid in listed and not min(listed[pid]) <= used <= max(listed[pid]):
            wrong.append(f"process {pid} holds {used}, not {sorted(listed[pid])}")
    return wrong


def compare_jobs(reading: dict, jobs: list[Job]) -> list[str]:
    """Whether each started job is one job with exactly its processes, and there is no other."""
    expected = {job.name: {job.pid, *descendants(job.pid)} for job in jobs}
    shown = [{member["process"]["pid"] for member in job["members"]} for job in reading["jobs"]]
    wrong = [f"{name} is {sorted(pids)}, not among {[sorted(s) for s in shown]}" for name, pids in expected.items() if pids not in shown]
    return wrong + ([] if len(shown) == len(jobs) else [f"{len(shown)} jobs, not {len(jobs)}"])


def main() -> int:
    headroom, target = Headroom(sys.argv[1], sys.argv[2]), Path(sys.argv[3])
    torchrun = ["torchrun", "--standalone", "--nproc-per-node=2"]
    jobs = [start("single", "single.py"), start("ranks", *torchrun, "ranks.py"), start("loader", "loader.py"), start("idle", "idle.py")]
    try:
        for job in jobs:
            job.wait_ready(2 if job.name == "ranks" else 1)
        time.sleep(2)
        record = SCRATCH / "watch.jsonl"
        files = {query: SCRATCH / f"{query}.csv" for query in ("query-gpu", "query-compute-apps")}
        asking = [
            subprocess.Popen(
                ["nvidia-smi", f"--{query}={fields}", "--format=csv,noheader,nounits", "-l", "1"], stdout=files[query].open("wb")
            )
            for query, fields in (("query-gpu", CARDS), ("query-compute-apps", APPS))
        ]
        plain = subprocess.Popen(["nvidia-smi", "-l", "1"], stdout=subprocess.DEVNULL)
        began = time.time()
        with headroom.watching(record) as watch:
            time.sleep(10)
            early = processor_seconds(watch.pid), processor_seconds(plain.pid), own_seconds(watch.pid)
            time.sleep(SECONDS - 10)
            late = processor_seconds(watch.pid), processor_seconds(plain.pid), own_seconds(watch.pid)
            seconds = time.time() - began
            readings = snapshots(record)
            job_faults = compare_jobs(readings[-1], jobs)
        for process in (*asking, plain):
            process.terminate()
        cards, apps = (lines_of(files[query]) for query in ("query-gpu", "query-compute-apps"))
        faults = [fault for reading in readings[1:-1] for fault in compare(reading, cards, apps)]
        steady = [b - a for a, b in zip(early, late)]
        result = {
            "seconds": round(seconds, 1), "readings": len(readings), "differences": faults[:20], "differing": len(faults),
            "jobs": [[job["title"], job["kind"], len(job["members"]), job["memoryBytes"]] for job in readings[-1]["jobs"]],
            "jobDifferences": job_faults, "problems": readings[-1]["problems"],
            "processorSeconds": {"headroom": round(late[0], 2), "nvidia-smi -l 1": round(late[1], 2)},
            "steadyProcessorSeconds": {
                "headroom": round(steady[0], 3), "of it node": round(steady[2], 3), "nvidia-smi -l 1": round(steady[1], 3)
            },
            "ratio": round(late[0] / late[1], 2), "steadyRatio": round(steady[0] / steady[1], 2),
        }
    finally:
        for job in jobs:
            job.kill()
    target.write_text(json.dumps(result, indent=1))
    print(json.dumps(result))
    return 0 if not faults and not job_faults else 1


if __name__ == "__main__":
    sys.exit(main())
