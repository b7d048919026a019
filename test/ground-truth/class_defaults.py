"""Records what transformers' configuration classes take where a config is silent, for every field that decides a size; needs no card.

    python3 class_defaults.py            # compares with test/fixtures/configs/class-defaults.json
    python3 class_defaults.py --write    # writes it again

The families' `defaults.ts` are held against this fixture by test/unit/shared/families/defaults.test.ts, so what moved between two
versions of transformers shows as a failing test that names type and field.
"""

import argparse
import dataclasses
import json
import math

import fixtures
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

PATH = fixtures.FIXTURES / "configs" / "class-defaults.json"

# Towers that a model's class describes in place of its config: name here, the model's type, the part.
TOWERS = {
    "aya_vision_tower": ("aya_vision", "vision_config"),
    "llava_tower": ("llava", "vision_config"),
    "llava_onevision_tower": ("llava_onevision", "vision_config"),
    "mistral3_tower": ("mistral3", "vision_config"),
    "paligemma_tower": ("paligemma", "vision_config"),
}


def plain(value):
    """Whether JSON can hold a value and it is no list of one entry a layer."""
    if isinstance(value, (list, tuple)):
        return len(value) <= 8 and all(isinstance(each, (int, float)) and math.isfinite(each) for each in value)
    return value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))


def defaults_of(config):
    """
    The fields of a configuration that its class filled in, also under the names that it maps to others. Where the class takes a value back
    for as long as a switch is off (`sliding_window` without `use_sliding_window`), the value that stands in its definition.
    """
    fields = {**config.to_dict(), **{name: getattr(config, name, None) for name in config.attribute_map}}
    for field in dataclasses.fields(config) if dataclasses.is_dataclass(config) else []:
        if fields.get(field.name) is None and field.default is not dataclasses.MISSING:
            fields[field.name] = field.default
    left_out = ("transformers_version", "architectures", "_name_or_path", "id2label", "label2id")
    kept = {name: fields[name] for name in sorted(fields) if name not in left_out and plain(fields[name])}
    # Tuples as JSON reads them back.
    return json.loads(json.dumps(kept))


def record(types):
    """Defaults by type; a type that transformers does not have, or cannot build without arguments, is left out."""
    found = {}
    for name in sorted(types):
        model_type, part = TOWERS.get(name, (name, None))
        try:
            config = CONFIG_MAPPING[model_type]()
        except Exception as error:  # Types of published code are not in transformers, which is no fault.
            print(f"{name}: left out: {type(error).__name__}: {str(error)[:100]}")
            continue
        found[name] = defaults_of(config if part is None else getattr(config, part))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--types", nargs="*", default=[], help="further types to record")
    given = parser.parse_args()
    recorded = json.loads(PATH.read_text())
    now = record({*recorded["defaults"], *given.types})
    differing = [
        f"{name}.{field}: {before.get(field)} was recorded, {now.get(name, {}).get(field)} now"
        for name, before in recorded["defaults"].items()
        for field in {**before, **now.get(name, {})}
        if before.get(field) != now.get(name, {}).get(field)
    ]
    print("\n".join(differing + [f"{len(now)} types, {len(differing)} fields differ"]))
    if given.write:
        head = fixtures.head("class_defaults.py")
        PATH.write_text(json.dumps({**head, "defaults": now}, indent=1) + "\n")
    return 1 if differing and not given.write else 0


if __name__ == "__main__":
    raise SystemExit(main())
