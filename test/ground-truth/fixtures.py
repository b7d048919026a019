"""Reading and writing the fixtures of this checkout, and saying of each what wrote it."""

import datetime
import gzip
import importlib.metadata
import io
import json
import platform
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"

# What the programs add to a case; the rest of a row is the case itself, in its order.
RESULTS = {"params", "trainable", "peak_alloc", "reserved", "names", "events", "cfg"}


def read_rows(path):
    """The rows of a .jsonl or .jsonl.gz file."""
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as lines:
        return [json.loads(line) for line in lines if line.strip()]


def write_rows(path, rows):
    """Writes rows the same way every time: no time stamp and no name in the compressed file."""
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    if str(path).endswith(".gz"):
        buffer = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as packed:
            packed.write(text)
        text = buffer.getvalue()
    Path(path).write_bytes(text)


def case_of(row):
    """A row without its results: what was asked."""
    return {key: value for key, value in row.items() if key not in RESULTS}


def versions():
    """The versions that a recording depends on; null where a package is not there. None is imported for it: what transformers makes
    while its modules are imported is a part of a recorded step."""
    found = {"python": platform.python_version()}
    for name in ("torch", "transformers", "peft"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def head(tool):
    """What wrote a fixture, with which versions, and when (UTC)."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return {"tool": f"test/ground-truth/{tool}", "versions": versions(), "date": today}


def write_head(path, tool, **more):
    """Puts a recording's head beside it, as rows have no place for one."""
    Path(f"{path}.head.json").write_text(json.dumps({**head(tool), **more}, indent=2) + "\n")
