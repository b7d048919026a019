"""Records a family again, whole, and says whether it is what the fixtures hold: its step, its inventory and its defaults.

    python3 rerecord.py llama --out FOLDER

Takes a machine with a card, PyTorch and transformers of the recorded versions, and this checkout's test/ folder; no network and no Node.
Writes FOLDER/report.json and, for what differs, both sides. Ends with 0 where all is equal byte by byte.
"""

import argparse
import json
from pathlib import Path

import class_defaults
import fixtures
import inventories
import models
import steps
from children import run_each

STEPS = sorted(
    path
    for folder in ("accuracy", "measured")
    for path in (fixtures.FIXTURES / folder).glob("*traces*.jsonl.gz")
    # Rows of two cards are recorded by test/real-card/measure_two_cards.py.
    if "two-card" not in path.name
)


def same(recorded, now):
    """Whether two values are the same bytes once written."""
    return json.dumps(recorded) == json.dumps(now)


def type_of(row):
    """The model type of a recorded row."""
    return models.fields_of(fixtures.case_of(row), row.get("cfg"))["model_type"]


def difference(recorded, now):
    """The fields in which a row differs, and where its events begin to."""
    fields = [key for key in {**recorded, **now} if recorded.get(key) != now.get(key)]
    events = zip(recorded.get("events", []), now.get("events", []))
    first = next((index for index, (before, after) in enumerate(events) if before != after), None)
    return {"fields": fields, "first_event": first, "error": now.get("error"), "message": now.get("message")}


def recorded_steps(family, out, at_once):
    """The rows of a family, recorded again."""
    results = []
    for path in STEPS:
        rows = [row for row in fixtures.read_rows(path) if type_of(row) == family]
        again = run_each(rows, steps.record, at_once)
        for index, (before, recorded) in enumerate(zip(rows, again)):
            after = steps.in_form_of(before, recorded)
            equal = same(before, after)
            results.append({
                "fixture": path.name,
                "case": fixtures.case_of(before),
                "equal": equal,
                **({} if equal else difference(before, after)),
            })
            if not equal:
                fixtures.write_rows(out / f"{path.stem}-{index}.jsonl", [before, after])
    return results


def listed_inventories(family, out):
    """The inventories of a family's configs, listed again."""
    results = []
    for path in sorted(inventories.FOLDER.glob("*.json")):
        recorded = json.loads(path.read_text())
        if recorded["config"]["model_type"] != family:
            continue
        now = inventories.inventory(recorded["config"])
        equal = inventories.written(now) == path.read_text().rstrip("\n")
        results.append({"fixture": path.name, "equal": equal, "same_content": now == recorded})
        if not equal:
            (out / path.name).write_text(inventories.written(now))
    return results


def defaults_now(family):
    """The class defaults of a type, against the fixture; null where the fixture has none."""
    recorded = json.loads(class_defaults.PATH.read_text())["defaults"].get(family)
    now = class_defaults.record({family}).get(family)
    return {"equal": recorded is not None and same(recorded, now), "recorded": recorded, "now": now}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", help="a model type, such as llama")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--without-steps", action="store_true", help="inventory and defaults only, which need no card")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    report = {
        **fixtures.head("rerecord.py"),
        "family": given.family,
        "steps": [] if given.without_steps else recorded_steps(given.family, given.out, given.at_once),
        "inventories": listed_inventories(given.family, given.out),
        "defaults": defaults_now(given.family),
    }
    (given.out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    parts = [*report["steps"], *report["inventories"], report["defaults"]]
    equal = sum(part["equal"] for part in parts)
    print(f"{given.family}: {len(report['steps'])} steps, {len(report['inventories'])} inventories, defaults: {equal} of {len(parts)} equal")
    for part in parts:
        if not part["equal"]:
            print({key: value for key, value in part.items() if key not in ("recorded", "now")})
    return 0 if equal == len(parts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
