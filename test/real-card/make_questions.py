"""Writes the ten questions of largest_batch.py: configs of models, and how each is trained. Needs transformers, no card.

usage: make_questions.py FOLDER     then, with the command: headroom estimate --batch FOLDER/requests.jsonl --json > FOLDER/answers.jsonl
"""

import json
import sys
from pathlib import Path

from transformers import AutoConfig

CARD = {"cardMib": [24564], "contextMib": 500}
QUESTIONS: list[tuple[str, str, dict, dict]] = [
    ("qwen3-0.6b", "Qwen3ForCausalLM", dict(model_type="qwen3", hidden_size=1024, num_hidden_layers=28, num_attention_heads=16,
     num_key_value_heads=8, head_dim=128, intermediate_size=3072, vocab_size=151936, tie_word_embeddings=True),
     dict(precision="amp-bf16", seq=1024, optimizer="adamw-fused")),
    ("pythia-1b", "GPTNeoXForCausalLM", dict(model_type="gpt_neox", hidden_size=2048, num_hidden_layers=16, num_attention_heads=8,
     intermediate_size=8192, vocab_size=50304), dict(precision="bf16", seq=1024, optimizer="adamw", checkpointing="full")),
    ("gpt2-medium", "GPT2LMHeadModel", dict(model_type="gpt2", n_embd=1024, n_layer=24, n_head=16),
     dict(precision="fp32", seq=512, optimizer="adamw")),
    ("tinyllama-1.1b", "LlamaForCausalLM", dict(model_type="llama", hidden_size=2048, num_hidden_layers=22, num_attention_heads=32,
     num_key_value_heads=4, intermediate_size=5632, vocab_size=32000),
     dict(precision="bf16", seq=2048, optimizer="adamw-fused", method="lora", loraRank=16)),
    ("qwen2.5-1.5b", "Qwen2ForCausalLM", dict(model_type="qwen2", hidden_size=1536, num_hidden_layers=28, num_attention_heads=12,
     num_key_value_heads=2, intermediate_size=8960, vocab_size=151936, tie_word_embeddings=True),
     dict(precision="bf16", seq=1024, optimizer="sgd-momentum", checkpointing="full")),
    ("opt-1.3b", "OPTForCausalLM", dict(model_type="opt", hidden_size=2048, num_hidden_layers=24, num_attention_heads=32, ffn_dim=8192,
     vocab_size=50272, word_embed_proj_dim=2048), dict(precision="bf16", seq=1024, optimizer="adamw-fused")),
    ("bert-large", "BertForMaskedLM", dict(model_type="bert", hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
     intermediate_size=4096), dict(precision="amp-fp16", seq=512, optimizer="adamw-fused")),
    ("vit-large", "ViTForImageClassification", dict(model_type="vit", hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
     intermediate_size=4096, num_labels=1000), dict(precision="amp-bf16", seq=0, optimizer="adamw-fused")),
    ("phi-2", "PhiForCausalLM", dict(model_type="phi", hidden_size=2560, num_hidden_layers=32, num_attention_heads=32,
     intermediate_size=10240, vocab_size=51200), dict(precision="bf16", seq=1024, optimizer="adamw", checkpointing="full", method="lora", loraRank=8)),
    ("olmo2-1b", "Olmo2ForCausalLM", dict(model_type="olmo2", hidden_size=2048, num_hidden_layers=16, num_attention_heads=16,
     num_key_value_heads=16, intermediate_size=8192, vocab_size=100352), dict(precision="amp-bf16", seq=1024, optimizer="adamw-fused", checkpointing="full")),
]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    requests = []
    for name, class_name, shape, training in QUESTIONS:
        config = AutoConfig.for_model(**shape)
        config.architectures = [class_name]
        file = folder / f"{name}.json"
        file.write_text(config.to_json_string(use_diff=False))
        images = {"seq": 1024} if training["seq"] == 0 else {}
        requests.append({"model": str(file), **training, **images, **CARD})
    (folder / "requests.jsonl").write_text("".join(json.dumps(request) + "\n" for request in requests))


if __name__ == "__main__":
    main()
