"""Model shapes of the ground-truth runs: (transformers model_type, task, config keywords)."""
def llama(h, n, a, kv, i, v, tie=False, **k):
    return ("llama", "causal", dict(hidden_size=h, num_hidden_layers=n, num_attention_heads=a, num_key_value_heads=kv,
            intermediate_size=i, vocab_size=v, tie_word_embeddings=tie, max_position_embeddings=8192, **k))
def qwen2(h, n, a, kv, i, v, tie=False):
    return ("qwen2", "causal", dict(hidden_size=h, num_hidden_layers=n, num_attention_heads=a, num_key_value_heads=kv,
            intermediate_size=i, vocab_size=v, tie_word_embeddings=tie, max_position_embeddings=32768))
MODELS = {
 "gpt2":         ("gpt2", "causal", dict()),
 "gpt2-medium":  ("gpt2", "causal", dict(n_embd=1024, n_layer=24, n_head=16)),
 "gpt2-xl":      ("gpt2", "causal", dict(n_embd=1600, n_layer=48, n_head=25)),
 "tinyllama-1.1b": llama(2048, 22, 32, 4, 5632, 32000),
 "llama-3.2-1b": llama(2048, 16, 32, 8, 8192, 128256, True),
 "llama-3.2-3b": llama(3072, 28, 24, 8, 8192, 128256, True),
 "llama-2-7b":   llama(4096, 32, 32, 32, 11008, 32000),
 "llama-2-13b":  llama(5120, 40, 40, 40, 13824, 32000),
 "llama-3-8b":   llama(4096, 32, 32, 8, 14336, 128256),
 "mistral-7b":   ("mistral", "causal", dict(hidden_size=4096, num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8, intermediate_size=14336, vocab_size=32000, sliding_window=None)),
 "qwen2.5-0.5b": qwen2(896, 24, 14, 2, 4864, 151936, True),
 "qwen2.5-1.5b": qwen2(1536, 28, 12, 2, 8960, 151936, True),
 "qwen2.5-7b":   qwen2(3584, 28, 28, 4, 18944, 152064),
 "qwen3-0.6b":   ("qwen3", "causal", dict(hidden_size=1024, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8, head_dim=128, intermediate_size=3072, vocab_size=151936, tie_word_embeddings=True)),
 "qwen3-4b":     ("qwen3", "causal", dict(hidden_size=2560, num_hidden_layers=36, num_attention_heads=32, num_key_value_heads=8, head_dim=128, intermediate_size=9728, vocab_size=151936, tie_word_embeddings=True)),
 "gemma-2b":     ("gemma", "causal", dict(hidden_size=2048, num_hidden_layers=18, num_attention_heads=8, num_key_value_heads=1, head_dim=256, intermediate_size=16384, vocab_size=256000)),
 "gemma2-2b":    ("gemma2", "causal", dict(hidden_size=2304, num_hidden_layers=26, num_attention_heads=8, num_key_value_heads=4, head_dim=256, intermediate_size=9216, vocab_size=256000)),
 "phi-2":        ("phi", "causal", dict(hidden_size=2560, num_hidden_layers=32, num_attention_heads=32, intermediate_size=10240, vocab_size=51200)),
 "phi-3-mini":   ("phi3", "causal", dict(hidden_size=3072, num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=32, intermediate_size=8192, vocab_size=32064, pad_token_id=0)),
 "opt-1.3b":     ("opt", "causal", dict(hidden_size=2048, num_hidden_layers=24, num_attention_heads=32, ffn_dim=8192, vocab_size=50272, word_embed_proj_dim=2048, max_position_embeddings=2048)),
 "pythia-1b":    ("gpt_neox", "causal", dict(hidden_size=2048, num_hidden_layers=16, num_attention_heads=8, intermediate_size=8192, vocab_size=50304)),
 "olmoe-1b-7b":  ("olmoe", "causal", dict(hidden_size=2048, num_hidden_layers=16, num_attention_heads=16, num_key_value_heads=16, intermediate_size=1024, num_experts=64, num_experts_per_tok=8, vocab_size=50304)),
 "mixtral-small":("mixtral", "causal", dict(hidden_size=2048, num_hidden_layers=12, num_attention_heads=16, num_key_value_heads=4, intermediate_size=5632, num_local_experts=8, num_experts_per_tok=2, vocab_size=32000)),
 "bert-base":    ("bert", "mlm", dict()),
 "bert-large":   ("bert", "mlm", dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)),
 "t5-base":      ("t5", "seq2seq", dict(d_model=768, d_kv=64, d_ff=3072, num_layers=12, num_decoder_layers=12, num_heads=12, vocab_size=32128, decoder_start_token_id=0)),
 "vit-base":     ("vit", "image", dict(num_labels=1000)),
 "vit-large":    ("vit", "image", dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096, num_labels=1000)),
}
