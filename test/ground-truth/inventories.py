"""Lists the parameters of small models of each family, as transformers registers them; needs no card.

    python3 inventories.py                       # compares every fixture with what transformers lists now
    python3 inventories.py llama-bias --write    # writes it again
    python3 inventories.py new-model --config config.json --write

A fixture of test/fixtures/configs/inventories is {"config", "parameters", "tensors"}; a tensor is "NAME SHAPE", with " = OTHER" where
it is the same tensor as an earlier one.
"""

import argparse
import json
from pathlib import Path

import torch

import fixtures
import models
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

FOLDER = fixtures.FIXTURES / "configs" / "inventories"


def written(listed):
    """An inventory as the fixtures hold it."""
    return json.dumps(listed, indent=1)


def inventory(config_fields):
    """The parameters of the class that a config names, built on the meta device."""
    config = CONFIG_MAPPING[config_fields["model_type"]].from_dict(dict(config_fields))
    with torch.device("meta"):
        model = models.class_of(config)._from_config(config)
    first, lines, total = {}, [], 0
    for name, parameter in model.named_parameters(remove_duplicate=False):
        shape = "x".join(map(str, parameter.shape)) or "scalar"
        known = first.setdefault(id(parameter), name)
        lines.append(f"{name} {shape}" + ("" if known == name else f" = {known}"))
        total += parameter.numel() if known == name else 0
    return {"config": config_fields, "parameters": total, "tensors": lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="fixtures without .json; all where none is named")
    parser.add_argument("--config", help="the config of a new fixture")
    parser.add_argument("--write", action="store_true", help="write what differs")
    given = parser.parse_args()
    names = given.names or sorted(path.stem for path in FOLDER.glob("*.json"))
    differing = 0
    for name in names:
        path = FOLDER / f"{name}.json"
        recorded = None if given.config else json.loads(path.read_text())
        config = json.loads(Path(given.config).read_text()) if given.config else recorded["config"]
        try:
            listed = inventory(config)
        except Exception as error:  # One model that transformers no longer builds must not hide the others.
            print(f"{name}: {type(error).__name__}: {error}")
            differing += 1
            continue
        if listed == recorded:
            continue
        differing += 1
        print(f"{name}: {'new' if recorded is None else first_difference(recorded, listed)}")
        if given.write:
            path.write_text(written(listed))
    print(f"{len(names)} inventories, {differing} differ")
    return 1 if differing and not given.write else 0


def first_difference(recorded, listed):
    """Where two inventories begin to differ."""
    pairs = zip(recorded["tensors"] + [None], listed["tensors"] + [None])
    before, after = next((pair for pair in pairs if pair[0] != pair[1]), (None, None))
    return f"{recorded['parameters']} and {listed['parameters']} parameters; {before} | {after}"


if __name__ == "__main__":
    raise SystemExit(main())
