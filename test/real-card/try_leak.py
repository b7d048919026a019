"""Part 3: forecast and alerts beside a real leak, and readings that go on after nvidia-smi was killed.

usage: try_leak.py NODE CLI RESULT.json
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from machine import SCRATCH, Headroom, descendants, is_alive, snapshots, start


def main() -> int:
    headroom, target = Headroom(sys.argv[1], sys.argv[2]), Path(sys.argv[3])
    record = SCRATCH / "leak.jsonl"
    SCRATCH.mkdir(exist_ok=True)
    with headroom.watching(record) as watch:
        time.sleep(4)
        job = start("leak", "leak.py", "0.013")
        job.wait_ready()
        began = time.time()
        time.sleep(25)
        children = [pid for pid in descendants(watch.pid) if "nvidia-smi" in Path(f"/proc/{pid}/cmdline").read_text()]
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        killed = time.time()
        while job.process.poll() is None and time.time() - began < 130:
            time.sleep(0.2)
        ended = time.time()
        time.sleep(8)
    readings = snapshots(record)
    after = [reading for reading in readings if reading["cardsReadAt"] is not None and reading["cardsReadAt"] > killed + 0.5]
    gaps = [round(b["cardsReadAt"] - a["cardsReadAt"], 1) for a, b in zip(readings, readings[1:]) if a["cardsReadAt"] and b["cardsReadAt"]]
    alerts: dict[str, float] = {}
    states: list[list[object]] = []
    for reading in readings:
        for alert in reading["alerts"]:
            alerts.setdefault(alert["rule"], round(reading["time"] - ended, 1))
        for forecast in reading["forecast"]:
            if forecast["pid"] != job.pid:
                continue
            entry = [forecast["state"], None if forecast["etaSeconds"] is None else round(forecast["etaSeconds"])]
            if not states or states[-1][1] != entry[0]:
                states.append([round(reading["time"] - ended, 1), *entry])
    result = {
        "ranSeconds": round(ended - began, 1), "lastLines": job.log.read_text()[-300:], "childrenKilled": len(children),
        "firstReadingAfterKill": round(after[0]["cardsReadAt"] - killed, 1) if after else None, "longestGap": max(gaps, default=None),
        "alertsBeforeEnd": alerts, "forecastStates": states[:20],
        "problems": sorted({problem.get("code", "") for reading in readings for problem in reading["problems"]}),
        "ended": not is_alive(job.pid),
    }
    job.kill()
    target.write_text(json.dumps(result, indent=1))
    print(json.dumps(result))
    return 0 if alerts.get("will-fill", 0) < 0 and "died-on-full-card" in alerts and after else 1


if __name__ == "__main__":
    sys.exit(main())
