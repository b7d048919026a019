"""Part 2: what is left of killed jobs is named, ended and its memory given back, and the healthy job beside it lives.

usage: try_free.py NODE CLI RESULT.json [TRIAL ...]
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from machine import MIB, SCRATCH, Headroom, card_used, descendants, is_alive, snapshots, start

TORCHRUN = ["torchrun", "--standalone", "--nproc-per-node=2"]


def free_what_is_left(headroom: Headroom, left: set[int], most_seconds: float) -> dict:
    """Waits until `headroom stale` names exactly these processes as stale, frees them, and says what came of it."""
    began, answer = time.time(), {"jobs": []}
    while time.time() - began < most_seconds:
        answer = headroom.ask("stale")
        if any(job["verdict"] == "stale" for job in answer["jobs"]):
            break
        time.sleep(1)
    named_after = round(time.time() - began, 1)
    stale = [job for job in answer["jobs"] if job["verdict"] == "stale"]
    would_end = {process["pid"] for job in stale for process in job["wouldEnd"]}
    result = {
        "namedAfterSeconds": named_after,
        "verdicts": [[job["title"], job["verdict"], [[r["sign"], r["text"]] for r in job["reasons"]]] for job in answer["jobs"]],
        "namesExactly": would_end == left, "expected": sorted(left), "wouldEnd": sorted(would_end),
    }
    before = card_used()
    if len(stale) == 1:
        result["free"] = headroom.ask("free", stale[0]["id"], "--yes", seconds=90)
        time.sleep(1)
    result |= {
        "cardBackMiB": (before - card_used()) // MIB, "leftAlive": [pid for pid in left if is_alive(pid)],
        "staleAfter": [job["title"] for job in headroom.ask("stale")["jobs"]],
    }
    return result


def launcher_killed(headroom: Headroom, *flags: str) -> dict:
    job = start("ranks", *TORCHRUN, "ranks.py", *flags)
    job.wait_ready(2)
    time.sleep(2)
    left = set(descendants(job.pid))
    os.kill(job.pid, signal.SIGKILL)
    job.process.wait()
    time.sleep(1)
    return free_what_is_left(headroom, {pid for pid in left if is_alive(pid)}, 20)


def rank_killed_before_its_workers(headroom: Headroom) -> dict:
    """The workers hang in their reading. What `watch` says while they stand is kept, as it takes ten seconds to be sure."""
    job = start("loader", "loader.py", "--stuck")
    job.wait_ready()
    time.sleep(3)
    record = SCRATCH / "orphans.jsonl"
    with headroom.watching(record):
        time.sleep(3)
        left = set(descendants(job.pid))
        os.kill(job.pid, signal.SIGKILL)
        job.process.wait()
        killed = time.time()
        time.sleep(30)
        verdicts = []
        for reading in snapshots(record):
            for shown in reading["jobs"]:
                pids = {member["process"]["pid"] for member in shown["members"]}
                entry = [shown["verdict"], [reason["sign"] for reason in shown["reasons"]]]
                if pids & left and reading["time"] > killed and (not verdicts or verdicts[-1][1:] != entry):
                    verdicts.append([round(reading["time"] - killed, 1), *entry])
    living = {pid for pid in left if is_alive(pid)}
    result = {"watched": verdicts, "cardHeldMiB": card_used() // MIB}
    return result | free_what_is_left(headroom, living, 5)


def main() -> int:
    headroom, target = Headroom(sys.argv[1], sys.argv[2]), Path(sys.argv[3])
    healthy = start("single", "single.py")
    healthy.wait_ready()
    results: dict[str, object] = {}
    trials = {
        "launcher killed": lambda: launcher_killed(headroom),
        "rank inside a kernel": lambda: launcher_killed(headroom, "--stuck"),
        "workers outlive their rank": lambda: rank_killed_before_its_workers(headroom),
    }
    chosen = sys.argv[4:] or list(trials)
    for name, trial in trials.items():
        if name not in chosen:
            continue
        try:
            results[name] = trial()
        except Exception as error:
            results[name] = {"error": repr(error)}
        print(name, json.dumps(results[name]), flush=True)
    results["healthy job lives"] = is_alive(healthy.pid)
    healthy.kill()
    target.write_text(json.dumps(results, indent=1))
    good = [r for r in results.values() if isinstance(r, dict) and r.get("namesExactly") and r.get("leftAlive") == []]
    return 0 if len(good) == len(chosen) and results["healthy job lives"] else 1


if __name__ == "__main__":
    sys.exit(main())
