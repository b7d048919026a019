"""Records real memory snapshots of PyTorch, with the truth beside each; needs one GPU.

    python3 test/ground-truth/recordMemorySnapshots.py test/fixtures/memorySnapshots

Made with PyTorch 2.11.0+cu130 and transformers 5.17.0 on an H200: GPT-2 with four layers, 4 x 512 tokens under bf16 autocast.
"""
import json, lzma, os, pickle, sys

OUT = sys.argv[1]


def case(name):
    if name == "expandable-ragged":
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"
    import torch, transformers
    from transformers import AutoModelForCausalLM, GPT2Config

    torch.manual_seed(0)
    record = dict(max_entries=200000)
    if name == "stacks-python": record["stacks"] = "python"
    if name == "no-context": record["context"] = None
    torch.cuda.memory._record_memory_history(**record)
    truth, peaks = dict(name=name, torch=torch.__version__, transformers=transformers.__version__), []
    try:
        model = AutoModelForCausalLM.from_config(GPT2Config(n_layer=4, use_cache=False)).cuda()
        optimizer, losses = torch.optim.AdamW(model.parameters(), lr=1e-4), []
        if name == "oom":
            torch.cuda.set_per_process_memory_fraction(3 * 2**30 / torch.cuda.get_device_properties(0).total_memory)
        lengths = torch.Generator().manual_seed(1)
        for step in range(12 if name == "leak-losses" else 6):
            tokens = int(torch.randint(128, 1024, (1,), generator=lengths)) if "ragged" in name else 512
            samples = 4 + 6 * step if name == "oom" else 4
            ids = torch.randint(0, model.config.vocab_size, (samples, tokens), device="cuda")
            with torch.autocast("cuda", torch.bfloat16): loss = model(input_ids=ids, labels=ids).loss
            if name == "leak-losses": losses.append(loss)  # Keeps the graph of each step.
            loss.backward(retain_graph=name == "leak-losses"); optimizer.step(); optimizer.zero_grad()
            torch.cuda.synchronize(); peaks.append(torch.cuda.max_memory_allocated()); torch.cuda.reset_peak_memory_stats()
    except torch.OutOfMemoryError as error:
        truth["oom"] = str(error)
    truth.update(peaks=peaks, allocated_end=torch.cuda.memory_allocated(), reserved_end=torch.cuda.memory_reserved())
    with lzma.open(f"{OUT}/{name}.pickle.xz", "wb", preset=6) as file: pickle.dump(torch.cuda.memory._snapshot(), file)
    json.dump(truth, open(f"{OUT}/{name}.json", "w"))


for name in ["plain", "stacks-python", "leak-losses", "oom", "expandable-ragged", "no-context"]:
    child = os.fork()
    if child == 0:
        case(name)
        os._exit(0)
    os.waitpid(child, 0)
