"""Part 6: what a watched second costs beside other monitors; two leaks on one card and a load in shards, with the alert times.

usage: try_forecast.py NODE CLI RESULT.json [cost|leaks|shards ...]
"""

import json
import pty
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from machine import SCRATCH, Headroom, card_used, own_seconds, processor_seconds, snapshots, start

COST_SECONDS = 120
SETTLED_SECONDS = 75
"""From then on the list of processes comes at a slower pace, as no memory has moved for a minute."""

MONITORS = {
    "nvidia-smi -l 1": ["nvidia-smi", "-l", "1"],
    "nvtop": ["nvtop", "--delay", "10"],
    "nvitop": ["nvitop", "--interval", "1"],
}


@contextmanager
def on_a_terminal(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A monitor that draws on a terminal, which somebody reads, as one does that nobody reads stops when its buffer is full."""
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, start_new_session=True)
    reader = subprocess.Popen(["cat"], stdin=master, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        reader.kill()
        reader.wait()


def cost(headroom: Headroom) -> dict[str, object]:
    """Processor time a second of each monitor's tree, side by side, beside one job that trains at an even level."""
    job = start("single", "single.py")
    job.wait_ready()
    missing = [name for name, (program, *_) in MONITORS.items() if shutil.which(program) is None]
    with ExitStack() as stack:
        watch = stack.enter_context(headroom.watching(SCRATCH / "cost.jsonl"))
        running = {
            name: stack.enter_context(on_a_terminal(command)) for name, command in MONITORS.items() if name not in missing
        }
        time.sleep(SETTLED_SECONDS)
        trees = {"headroom watch": watch, **running}
        before = {name: processor_seconds(process.pid) for name, process in trees.items()}
        node_before, began = own_seconds(watch.pid), time.time()
        time.sleep(COST_SECONDS)
        seconds = time.time() - began
        spent = {name: processor_seconds(process.pid) - before[name] for name, process in trees.items()}
        node = own_seconds(watch.pid) - node_before
    job.kill()
    return {
        "millisecondsPerSecond": {name: round(1000 * value / seconds, 2) for name, value in spent.items()},
        "ofHeadroomInNode": round(1000 * node / seconds, 2),
        "notInstalled": missing,
    }


def watched(headroom: Headroom, name: str, seconds: float, *commands: tuple[str, ...]) -> dict[str, object]:
    """Jobs on an otherwise empty card from their start until all have ended: its memory over time, and what was foretold."""
    record = SCRATCH / f"{name}.jsonl"
    empty = card_used()
    with headroom.watching(record):
        time.sleep(4)
        began = time.time()
        jobs = [start(f"{name}-{place}", *command) for place, command in enumerate(commands)]
        ends: list[float] = []
        while time.time() - began < seconds and len(ends) < len(jobs):
            ends += [time.time()] * (sum(job.process.poll() is not None for job in jobs) - len(ends))
            time.sleep(0.1)
        time.sleep(3)
    logs = [job.log.read_text()[-200:] for job in jobs]
    for job in jobs:
        job.kill()
    readings = snapshots(record)
    raised: dict[str, dict[str, object]] = {}
    for reading in readings:
        for alert in reading["alerts"]:
            if alert["rule"] == "will-fill" and alert["id"] not in raised:
                before_end = round(ends[0] - reading["time"], 1) if ends else None
                raised[alert["id"]] = {"t": round(reading["time"] - began, 1), "beforeEnd": before_end, "text": alert["text"]}
    return {
        "capacity_bytes": readings[-1]["cards"][0]["memoryTotalBytes"],
        "emptyBytes": empty,
        "samples": [[round(reading["time"] - began, 2), reading["cards"][0]["memoryUsedBytes"]] for reading in readings],
        "utilizationPercent": [reading["cards"][0]["utilizationPercent"] for reading in readings],
        "foretold": [
            [round(reading["time"] - began, 1), forecast["etaSeconds"], forecast["etaRangeSeconds"]]
            for reading in readings
            for forecast in reading["forecast"]
            if forecast["pid"] is None and forecast["gpuIndex"] == 0
        ],
        "alerts": list(raised.values()),
        "firstEnd": round(ends[0] - began, 1) if ends else None,
        "logs": logs,
    }


def main() -> int:
    headroom, target = Headroom(sys.argv[1], sys.argv[2]), Path(sys.argv[3])
    parts = sys.argv[4:] or ["cost", "leaks", "shards"]
    SCRATCH.mkdir(exist_ok=True)
    result: dict[str, dict[str, object]] = {}
    if "cost" in parts:
        result["cost"] = cost(headroom)
    if "leaks" in parts:
        # Both lose 0.5 % of the card a second: what is left of it is gone after some 100 s, not after 200.
        result["leaks"] = watched(headroom, "leaks", 240, ("leak.py", "0.005"), ("leak.py", "0.005"))
    if "shards" in parts:
        result["shards"] = watched(headroom, "shards", 200, ("shards.py", "6"))
    target.write_text(json.dumps(result))
    print(json.dumps({name: {key: value for key, value in part.items() if key in
                             ("millisecondsPerSecond", "ofHeadroomInNode", "notInstalled", "alerts", "firstEnd")}
                      for name, part in result.items()}, indent=1))
    leaks, shards = result.get("leaks"), result.get("shards")
    return 0 if (leaks is None or leaks["alerts"]) and (shards is None or not shards["alerts"]) else 1


if __name__ == "__main__":
    sys.exit(main())
