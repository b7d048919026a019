"""What the trials share: starting jobs, the headroom command, nvidia-smi beside it, and the processor time of a tree of processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRATCH = Path("/tmp/headroom-real-card")
TICKS = os.sysconf("SC_CLK_TCK")
MIB = 2**20


@dataclass
class Job:
    """A started job: its launcher (or only) process and its log."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_ready(self, count: int = 1, seconds: float = 60) -> None:
        wait_until(lambda: self.log.read_text().count("ready") >= count, seconds, f"{self.name} is ready")

    def kill(self) -> None:
        for pid in [*descendants(self.pid), self.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()


def wait_until(holds: Callable[[], bool], seconds: float, what: str) -> float:
    """Seconds until it held. Raises TimeoutError."""
    began = time.time()
    while time.time() - began < seconds:
        if holds():
            return time.time() - began
        time.sleep(0.1)
    raise TimeoutError(f"not within {seconds:g} s: {what}")


def start(name: str, *command: str) -> Job:
    """Starts jobs/NAME.py from a shell of its own, as a person would."""
    SCRATCH.mkdir(exist_ok=True)
    log = SCRATCH / f"{name}-{time.monotonic_ns()}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *command] if command[0].endswith(".py") else list(command),
            cwd=HERE / "jobs", stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
        )
    return Job(name, process, log)


def parents() -> dict[int, int]:
    found: dict[int, int] = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            found[int(pid)] = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    return found


def descendants(root: int) -> list[int]:
    table = parents()
    found, look = [], [root]
    while look:
        parent = look.pop()
        children = [pid for pid, above in table.items() if above == parent]
        found += children
        look += children
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def processor_seconds(root: int) -> float:
    """Of a process, its living descendants, and those that it has waited for."""
    return sum(own_seconds(pid) + waited_seconds(pid) for pid in [root, *descendants(root)])


def own_seconds(pid: int) -> float:
    """Of one process alone: its threads' time to the nanosecond, as a clock of 10 ms is too coarse for a second's work."""
    total = 0
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            total += int(file.read_text().split()[0])
        except OSError:
            continue
    return total / 1e9


def waited_seconds(pid: int) -> float:
    """Of the ended children that a process has waited for, which leave no finer figure."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[13:15])) / TICKS


@dataclass
class Headroom:
    """The command, as `node cli.cjs`."""

    node: str
    cli: str
    problems: list[str] = field(default_factory=list)

    def ask(self, *arguments: str, seconds: float = 60) -> dict:
        done = subprocess.run(
            [self.node, self.cli, *arguments, "--json"], capture_output=True, text=True, timeout=seconds, check=False
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(f"headroom {arguments}: {done.stderr}")
        return json.loads(done.stdout)

    @contextmanager
    def watching(self, file: Path) -> Iterator[subprocess.Popen[bytes]]:
        """`headroom watch --json` once a second into a file."""
        with file.open("wb") as out:
            process = subprocess.Popen(
                [self.node, self.cli, "watch", "--json", "--interval", "1"], stdout=out, stdin=subprocess.DEVNULL
            )
            try:
                yield process
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(10)


def snapshots(file: Path) -> list[dict]:
    """The whole lines of a recording."""
    found = []
    for line in file.read_text().split("\n"):
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def card_used() -> int:
    """Bytes in use on the first card, asked of nvidia-smi now."""
    text = subprocess.run(
        ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-i", "0"],
        capture_output=True, text=True, check=True,
    ).stdout
    return int(text) * MIB
