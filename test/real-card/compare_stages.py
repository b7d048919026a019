"""Cuts small models of many families into two stages as the pipeline's script does, and compares them with the whole model.

usage: compare_stages.py PIPELINE_VARIANT/train.py

A family may be listed in shared/launch/pipelineModels.ts when it says "same" here: equal logits, and the tensors of both stages have the
names that the whole model's have. It needs no card.
"""

import importlib.util
import sys
import tempfile
from types import ModuleType

import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM

transformers.logging.set_verbosity_error()
FAMILIES = (
    "cohere exaone4 falcon gemma gemma2 gemma3_text glm glm4 gpt2 gpt_neox granite llama ministral mistral nemotron olmo olmo2 olmo3 "
    "persimmon phi phi3 qwen2 qwen3 smollm3 stablelm starcoder2"
).split()
SHAPE = dict(
    hidden_size=64, intermediate_size=128, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
    vocab_size=200, max_position_embeddings=128, pad_token_id=0, bos_token_id=1, eos_token_id=2,
)
# Constants that are 1 where a file does not give them, so that a stage which applies them twice would not be seen.
SCALES = dict(granite=dict(embedding_multiplier=3.0, logits_scaling=2.0))


def load_script(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("pipeline_script", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compare(script: ModuleType, family: str) -> str:
    own = {name for name in ("num_key_value_heads", "head_dim") if family in ("falcon", "gpt_neox", "gpt2")}
    shape = {name: value for name, value in SHAPE.items() if name not in own}
    config = AutoConfig.for_model(family, **shape, **SCALES.get(family, {}))
    config.use_cache = False
    torch.manual_seed(1)
    whole = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
    for parameter in whole.parameters():
        parameter.data.add_(torch.randn_like(parameter) * 0.05)
    folder = tempfile.mkdtemp()
    whole.save_pretrained(folder)
    ids = torch.randint(3, 200, (2, 24))
    first, last = (script.build_stage(folder, index, torch.device("cpu"))[0].eval() for index in (0, 1))
    with torch.no_grad():
        hidden = first.base(input_ids=ids).last_hidden_state
        logits = last.head(last.base(inputs_embeds=hidden).last_hidden_state)
        difference = (whole(input_ids=ids).logits - logits).abs().max().item()
    names = {stage.whole_name(name) for stage in (first, last) for name in stage.state_dict()}
    if difference > 1e-5:
        return f"other logits, by {difference:.2g}"
    return "same" if names == set(whole.state_dict()) else f"other names: {sorted(names ^ set(whole.state_dict()))[:2]}"


def main() -> None:
    script = load_script(sys.argv[1])
    script.STAGE_LAYERS = [1, 3]
    for family in FAMILIES:
        try:
            result = compare(script, family)
        except (Exception, SystemExit) as error:
            result = f"{type(error).__name__}: {str(error)[:120]}"
        print(f"{family:14} {result}", flush=True)


if __name__ == "__main__":
    main()
