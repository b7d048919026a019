"""Makes the fixture of figures that other people published: facts alone (what was run, on what, which figure), no sentences.

usage: published.py FOLDER   FOLDER holds rows.jsonl and configs/; writes test/fixtures/published/*.jsonl.gz
"""

import gzip
import json
import sys
from pathlib import Path

KEPT = ("id", "source", "url", "model", "class", "stack", "methods", "flags", "published", "publishedFits", "card", "cardMib")


def write(name, rows):
    target = Path(__file__).parent.parent / "fixtures" / "published" / name
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    target.write_bytes(gzip.compress(text.encode(), mtime=0))


def main():
    folder = Path(sys.argv[1])
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines() if line.strip()]
    named = sorted({flag for row in rows for flag in row["flags"] if flag.startswith("configs/")})
    write("rows.jsonl.gz", [{key: row[key] for key in KEPT} for row in rows])
    write("configs.jsonl.gz", [{"file": name, "config": (folder / name).read_text()} for name in named])


if __name__ == "__main__":
    main()
