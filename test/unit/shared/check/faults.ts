import type { FileKind } from '../../../../shared/check/check';

/** One seeded fault: the rule that must see it, the line of it, and the smallest script that has it. */
export interface Fault {
  readonly rule: string;
  readonly line: number;
  readonly kind?: FileKind;
  readonly text: string;
}

const ddp = 'import torch, os\nimport torch.distributed as dist\n';

export const faults: readonly Fault[] = [
  {
    rule: 'whole-dataset-on-card',
    line: 2,
    text: 'import torch\nx_train = torch.load("x.pt", map_location="cpu").to("cuda")\n',
  },
  {
    rule: 'whole-dataset-on-card',
    line: 3,
    text: 'import torch\ndata = torch.tensor([1.])\ndata = data.cuda()\n',
  },
  {
    rule: 'whole-dataset-on-card',
    line: 4,
    text: 'import torch\nfrom torch.utils.data import TensorDataset\nx = torch.randn(3)\nds = TensorDataset(x.cuda(), x)\n',
  },
  {
    rule: 'whole-dataset-on-card',
    line: 5,
    text: 'import torch\nfrom torch.utils import data as D\nclass S(D.Dataset):\n    def __init__(self, x):\n        self.x = x.to("cuda:0")\n',
  },
  {
    rule: 'cuda-in-dataset',
    line: 5,
    text: 'import torch\nfrom torch.utils.data import Dataset\nclass S(Dataset):\n    def __getitem__(self, i):\n        return self.x[i].cuda()\n',
  },
  {
    rule: 'no-pinned-memory',
    line: 2,
    text: 'from torch.utils.data import DataLoader as L\nfor x in L([1], num_workers=2): x.cuda()\n',
  },
  {
    rule: 'no-loader-workers',
    line: 2,
    text: 'import torch.utils.data as d\nloader = d.DataLoader([1], pin_memory=True)\n',
  },
  {
    rule: 'blocking-copy',
    line: 3,
    text: 'from torch.utils.data import DataLoader\nfor x in DataLoader([1], pin_memory=True, num_workers=1):\n    x = x.to("cuda")\n',
  },
  {
    rule: 'no-distributed-sampler',
    line: 5,
    text: `${ddp}from torch.utils.data import DataLoader\ndist.init_process_group("nccl")\nloader = DataLoader([1], shuffle=True)\n`,
  },
  {
    rule: 'sampler-without-set-epoch',
    line: 2,
    text: 'from torch.utils.data.distributed import DistributedSampler\ns = DistributedSampler([1])\n',
  },
  {
    rule: 'losses-keep-graph',
    line: 5,
    text: 'import torch\ntotal = 0\nfor x in [1]:\n    loss = model(x)\n    total += loss\n    loss.backward()\n',
  },
  {
    rule: 'losses-keep-graph',
    line: 5,
    text: 'import torch\nlosses = []\nfor x in [1]:\n    loss = criterion(x)\n    losses.append(loss)\n    loss.backward()\n',
  },
  {
    rule: 'losses-keep-graph',
    line: 6,
    text: 'import torch\nscaler = torch.amp.GradScaler("cuda")\nhistory = {"a": []}\nfor x in [1]:\n    loss = net(x).mean()\n    history["a"].append(loss)\n    scaler.scale(loss).backward()\n',
  },
  {
    rule: 'outputs-keep-graph',
    line: 5,
    text: 'import torch\nouts = []\nfor x in [1]:\n    out = model(x)\n    outs.append(out)\n',
  },
  {
    rule: 'evaluation-without-no-grad',
    line: 4,
    text: 'import torch\ndef validate(model, loader):\n    for x in loader:\n        y = model(x)\n    return y\n',
  },
  {
    rule: 'no-grad-missing-after-eval',
    line: 4,
    text: 'import torch\nmodel.eval()\nfor x in loader:\n    y = model(x)\n',
  },
  {
    rule: 'no-zero-grad',
    line: 5,
    text: 'import torch\noptimizer = torch.optim.SGD([], lr=1)\nfor x in [1]:\n    net(x).backward()\n    optimizer.step()\n',
  },
  {
    rule: 'retain-graph',
    line: 3,
    text: 'import torch\nfor x in [1]:\n    net(x).backward(retain_graph=True)\n',
  },
  {
    rule: 'uses-data-parallel',
    line: 2,
    text: 'import torch.nn as N\nmodel = N.DataParallel(N.Linear(1, 1))\n',
  },
  { rule: 'uses-data-parallel', line: 2, text: 'from torch.nn import DataParallel as DP\nmodel = DP(net)\n' },
  {
    rule: 'no-set-device',
    line: 3,
    text: `${ddp}dist.init_process_group("nccl")\nx = torch.ones(1).cuda()\n`,
  },
  { rule: 'no-destroy-process-group', line: 3, text: `${ddp}dist.init_process_group(backend="gloo")\n` },
  {
    rule: 'load-without-map-location',
    line: 2,
    text: 'import torch\nstate = torch.load("last.pt")\nnet.cuda()\n',
  },
  {
    rule: 'save-on-every-rank',
    line: 4,
    text: `${ddp}dist.init_process_group("gloo")\ntorch.save(net.state_dict(), "last.pt")\n`,
  },
  { rule: 'collective-on-one-rank', line: 4, text: `${ddp}if rank == 0:\n    dist.barrier()\n` },
  {
    rule: 'optimizer-before-sharding',
    line: 3,
    text: 'import torch\nfrom torch.distributed.fsdp import fully_shard\nopt = torch.optim.AdamW(net.parameters())\nfully_shard(net)\n',
  },
  {
    rule: 'device-map-auto-with-ranks',
    line: 5,
    text: `${ddp}from transformers import AutoModel\ndist.init_process_group("nccl")\nm = AutoModel.from_pretrained("x", device_map="auto")\n`,
  },
  {
    rule: 'layers-round-robin',
    line: 3,
    text: 'import torch\nfor layer_id, layer in enumerate(layers):\n    layer.to(f"cuda:{layer_id % num_gpus}")\n',
  },
  {
    rule: 'layers-round-robin',
    line: 2,
    text: 'import torch\ndevices = [i % torch.cuda.device_count() for i in range(40)]\n',
  },
  { rule: 'fixed-master-port', line: 2, text: 'import os\nos.environ["MASTER_PORT"] = "29500"\n' },
  {
    rule: 'finds-unused-parameters',
    line: 2,
    text: 'from torch.nn.parallel import DistributedDataParallel as DDP\nm = DDP(net, find_unused_parameters=True)\n',
  },
  {
    rule: 'fork-after-cuda',
    line: 2,
    text: 'import torch.multiprocessing as mp\nmp.set_start_method("fork")\nx.cuda()\n',
  },
  {
    rule: 'empty-cache-in-loop',
    line: 3,
    text: 'import torch\nfor x in [1]:\n    torch.cuda.empty_cache()\n',
  },
  {
    rule: 'checkpoint-without-use-reentrant',
    line: 2,
    text: 'from torch.utils.checkpoint import checkpoint as ck\ny = ck(block, x)\n',
  },
  {
    rule: 'hidden-states-kept',
    line: 2,
    text: 'import torch\nout = model(x, output_hidden_states=True)\nout.loss.backward()\n',
  },
  {
    rule: 'cache-while-training',
    line: 2,
    text: 'import torch\nmodel.config.use_cache = True\nmodel.cuda()\nloss.backward()\n',
  },
  {
    rule: 'deprecated-cuda-amp',
    line: 3,
    text: 'from torch.cuda.amp import autocast\nfrom torch.cuda.amp import GradScaler\nwith autocast():\n    pass\n',
  },
  {
    rule: 'half-without-scaler',
    line: 2,
    text: 'import torch\nwith torch.autocast("cuda", dtype=torch.float16):\n    loss = net(x)\nloss.backward()\n',
  },
  {
    rule: 'clips-scaled-gradients',
    line: 4,
    text: 'import torch\nscaler = torch.amp.GradScaler("cuda")\nscaler.scale(loss).backward()\ntorch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n',
  },
  { rule: 'name-not-imported', line: 2, text: 'import torch\nmodel = DDP(torch.nn.Linear(1, 1))\n' },
  { rule: 'name-not-imported', line: 3, text: 'import torch\ndef f():\n    return np.zeros(3)\n' },
  { rule: 'not-valid-python', line: 2, text: 'import torch\ndef f(:\n    pass\n' },
  { rule: 'not-valid-json', line: 2, kind: 'json', text: '{\n  "fp16": { "enabled": true },\n' },
  {
    rule: 'not-valid-json',
    line: 3,
    kind: 'notebook',
    text: '{ "nbformat": 4, "cells": [\n  { "cell_type": "code", "source":\n    ["import torch',
  },
  { rule: 'not-valid-json', line: 2, kind: 'json', text: '{\n  // no comments in JSON\n  "a": 1\n}\n' },
  {
    rule: 'offload-outside-zero',
    line: 3,
    kind: 'json',
    text: '{\n  "zero_optimization": { "stage": 2 },\n  "offload_optimizer": { "device": "cpu" }\n}',
  },
  {
    rule: 'offload-without-stage',
    line: 1,
    kind: 'json',
    text: '{ "zero_optimization": { "stage": 2, "offload_param": { "device": "cpu" } } }',
  },
  {
    rule: 'fp16-and-bf16',
    line: 1,
    kind: 'json',
    text: '{ "train_batch_size": 8, "fp16": { "enabled": true }, "bf16": { "enabled": true } }',
  },
  {
    rule: 'batch-sizes-disagree',
    line: 1,
    kind: 'json',
    text: '{ "train_batch_size": 30, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2 }',
  },
  {
    rule: 'kill-by-name',
    line: 2,
    kind: 'shell',
    text: "#!/bin/bash\nkill -9 $(ps aux | grep train.py | awk '{print $2}')\n",
  },
  {
    rule: 'kill-by-name',
    line: 1,
    kind: 'shell',
    text: 'nvidia-smi --query-compute-apps=pid --format=csv,noheader | xargs kill -9\n',
  },
  { rule: 'kill-by-name', line: 1, kind: 'shell', text: 'kill -9 $(ps aux | grep train | cut -c9-16)\n' },
  {
    rule: 'kill-by-name',
    line: 2,
    kind: 'shell',
    text: 'set -e\nps aux | grep train \\\n  | xargs kill -9\n',
  },
  { rule: 'kill-by-name', line: 1, kind: 'shell', text: 'fuser -v -k /dev/nvidia0\n' },
  { rule: 'over-limit', line: 1, text: '('.repeat(201) },
  {
    rule: 'over-limit',
    line: 102,
    text: Array.from({ length: 102 }, (_, i) => `${' '.repeat(i)}if x:`).join('\n'),
  },
  { rule: 'over-limit', line: 1, text: `x = a${'.b'.repeat(600)}` },
  { rule: 'over-limit', line: 1, kind: 'yaml', text: '['.repeat(1024) },
  { rule: 'over-limit', line: 1001, kind: 'yaml', text: '- &a x\n'.repeat(1200) },
  { rule: 'kill-by-name', line: 1, kind: 'shell', text: 'pkill -9 -f python\n' },
  {
    rule: 'deprecated-launcher',
    line: 1,
    kind: 'shell',
    text: 'python -m torch.distributed.launch --nproc_per_node=2 train.py\n',
  },
  {
    rule: 'container-without-shm',
    line: 2,
    kind: 'shell',
    text: '# train\ndocker run --rm \\\n  --gpus all image python train.py\n',
  },
  { rule: 'processes-do-not-match-cards', line: 2, kind: 'yaml', text: 'gpu_ids: 0,1\nnum_processes: 4\n' },
  {
    rule: 'pod-without-shm',
    line: 4,
    kind: 'yaml',
    text: 'kind: PyTorchJob\nspec:\n  template:\n    containers:\n      - name: pytorch\n        resources: { limits: { nvidia.com/gpu: 2 } }\n',
  },
];
