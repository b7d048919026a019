import type { FileKind } from '../../../../shared/check/check';

/** What looks like a fault and is none, by the rule that must stay silent; the forms of public training code. */
export interface Quiet {
  readonly rule: string;
  readonly why: string;
  readonly kind?: FileKind;
  readonly text: string;
}

const ddp = 'import torch, os\nimport torch.distributed as dist\ndist.init_process_group("gloo")\n';
const cell = (...source: readonly string[]) => ({ cell_type: 'code', source: source.join('\n') });

export const quiet: readonly Quiet[] = [
  {
    rule: 'not-valid-python',
    why: 'a tuple behind as',
    text: 'import torch\nwith open("a") as (first, second):\n    first(second)\n',
  },
  {
    rule: 'name-not-imported',
    why: 'a tuple behind as',
    text: 'import torch\nwith open("a") as (first, second):\n    first(second)\n',
  },
  {
    rule: 'losses-keep-graph',
    why: 'the numbers to print that come with a loss',
    text: 'import torch\nall_stats = []\nfor batch in loader:\n    ppo_loss, stats = self.compute_loss(batch)\n    ppo_loss.backward()\n    all_stats.append(stats)\n',
  },
  {
    rule: 'save-on-every-rank',
    why: 'a condition that was set by the rank',
    text: `${ddp}def main(args):\n    args.save_logs = args.logs and is_master(args)\n    if args.save_logs:\n        torch.save(model.state_dict(), "a.pt")\nmain(a)\n`,
  },
  {
    rule: 'no-set-device',
    why: 'a helper of a library; its caller chooses the card',
    text: 'import torch\nimport torch.distributed as dist\ndef setup(rank, world_size):\n    if torch.cuda.is_available():\n        dist.init_process_group("nccl", rank=rank, world_size=world_size)\n',
  },
  {
    rule: 'empty-cache-in-loop',
    why: 'a test of code',
    text: 'import pytest\nimport torch\nfor model in (a, b):\n    torch.cuda.empty_cache()\n    model(x)\n',
  },
  {
    rule: 'blocking-copy',
    why: 'a model that moves for a phase',
    text: 'import torch\nfrom torch.utils.data import DataLoader\nloader = DataLoader(data, pin_memory=True)\nfor step in steps:\n    self.ema.to(device)\n    vae.to(device)\n',
  },
  {
    rule: 'not-valid-python',
    why: 'a remainder that begins a line, and commands without a mark',
    kind: 'notebook',
    text: JSON.stringify({
      cells: [
        cell('cd ..'),
        cell('pip install -q torch'),
        cell('if ok:', '    print("%d of %d"', '          % (1, 2))'),
        cell('% matplotlib inline', 'ls = 3'),
      ],
    }),
  },
  {
    rule: 'losses-keep-graph',
    why: 'a sum of one step that goes backward in another one',
    text: 'import torch\nfor x in [1]:\n    style = 0.\n    for layer in layers:\n        style_loss = criterion(x)\n        style += style_loss\n    total = style * 2\n    total.backward()\n',
  },
  {
    rule: 'losses-keep-graph',
    why: 'a manager takes the sum backward',
    text: 'import torch\nfor x in [1]:\n    loss = criterion(x)\n    for part in parts:\n        part_loss = criterion(part)\n        loss += part_loss\n    accelerator.backward(loss)\n',
  },
  {
    rule: 'losses-keep-graph',
    why: 'an evaluation inside of training, its forward without gradients',
    text: 'import torch\nfor epoch in [1]:\n    for x in [1]:\n        loss = criterion(model(x))\n        loss.backward()\n    losses = []\n    for x in [1]:\n        with torch.no_grad():\n            loss = criterion(model(x))\n        losses.append(loss)\n',
  },
  {
    rule: 'outputs-keep-graph',
    why: 'the encoders of one prompt',
    text: 'import torch\nembeds = []\nfor tokenizer, text_encoder in zip(tokenizers, text_encoders):\n    prompt = text_encoder(ids)\n    embeds.append(prompt)\n',
  },
  {
    rule: 'outputs-keep-graph',
    why: 'a list of models',
    text: 'import torch\nmodels = []\nfor x in [1]:\n    model = model(x)\n    models.append(model)\n',
  },
  {
    rule: 'evaluation-without-no-grad',
    why: 'one forward that shows the shape',
    text: 'import torch\ndef test():\n    net = Net()\n    y = net(torch.randn(1, 3, 32, 32))\n    print(y.size())\n',
  },
  {
    rule: 'evaluation-without-no-grad',
    why: 'a function that loads a model',
    text: 'import torch\nfrom lib import load_model\ndef evaluate():\n    for name in names:\n        model = load_model(name)\n',
  },
  {
    rule: 'evaluation-without-no-grad',
    why: 'every call of it is under no_grad',
    text: 'import torch\ndef validate(model, loader):\n    for x in loader:\n        y = model(x)\nwith torch.no_grad():\n    validate(m, l)\n',
  },
  {
    rule: 'evaluation-without-no-grad',
    why: 'a decorator of the project',
    text: 'import torch\n@smart_inference_mode()\ndef validate(model, loader):\n    for x in loader:\n        y = model(x)\n',
  },
  {
    rule: 'evaluation-without-no-grad',
    why: 'gradients are off in the whole script',
    text: 'import torch\ntorch.set_grad_enabled(False)\ndef validate(model, loader):\n    for x in loader:\n        y = model(x)\n',
  },
  {
    rule: 'evaluation-without-no-grad',
    why: 'a test suite',
    text: 'import torch, pytest\ndef test_forward():\n    for x in [1]:\n        y = model(x)\n',
  },
  {
    rule: 'whole-dataset-on-card',
    why: 'a function that makes one batch of each step',
    text: 'import torch\ndef get_batch(split):\n    x = torch.stack([data[i] for i in ix])\n    y = torch.stack([data[i] for i in ix])\n    x, y = x.to(device), y.to(device)\n    return x, y\n',
  },
  {
    rule: 'whole-dataset-on-card',
    why: 'what a function was handed',
    text: 'import torch\ndef operate(data):\n    data = torch.from_numpy(data).to(device)\n    return data\n',
  },
  {
    rule: 'whole-dataset-on-card',
    why: 'a later value of the name',
    text: 'import torch\nx = torch.stack([a])\nx = rows[:1]["x"]\ny = x.to(device)\n',
  },
  {
    rule: 'save-on-every-rank',
    why: 'the caller asks for the first card',
    text: `${ddp}class T:\n    def _save(self):\n        torch.save(self.state, "last.pt")\n    def train(self):\n        if self.gpu_id == 0 and epoch % 2 == 0:\n            self._save()\n`,
  },
  {
    rule: 'save-on-every-rank',
    why: 'under master_process',
    text: `${ddp}if step % 10 == 0 and master_process:\n    torch.save(state, "last.pt")\n`,
  },
  {
    rule: 'save-on-every-rank',
    why: 'into memory',
    text: `${ddp}import io\nbuffer = io.BytesIO()\ntorch.save(state, buffer)\n`,
  },
  {
    rule: 'collective-on-one-rank',
    why: 'all ranks call it, in one branch or the other',
    text: `${ddp}if is_main:\n    dist.broadcast(x, 0)\nelse:\n    dist.broadcast(y, 0)\n`,
  },
  {
    rule: 'collective-on-one-rank',
    why: 'the main process first',
    text: `${ddp}def first():\n    if not is_main_process:\n        dist.barrier()\n    yield\n    if is_main_process:\n        dist.barrier()\n`,
  },
  {
    rule: 'clips-scaled-gradients',
    why: 'the branch without a scaler',
    text: 'import torch\nscaler = torch.amp.GradScaler("cuda")\nif amp:\n    scaler.scale(loss).backward()\nelse:\n    loss.backward()\n    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n',
  },
  {
    rule: 'no-zero-grad',
    why: 'gradients live in a context of the step',
    text: 'import torch\nimport torch.distributed.autograd as dist_autograd\nfor x in [1]:\n    with dist_autograd.context() as context_id:\n        dist_autograd.backward(context_id, [loss])\n        loss.backward()\n        opt.step(context_id)\n',
  },
  {
    rule: 'hidden-states-kept',
    why: 'they are used',
    text: 'import torch\nout = model(x, output_hidden_states=True)\nloss = out.hidden_states[-2].mean()\nloss.backward()\n',
  },
  {
    rule: 'hidden-states-kept',
    why: 'an encoder of prompts',
    text: 'import torch\nembeds = text_encoder(ids, output_hidden_states=True)\nloss.backward()\n',
  },
  {
    rule: 'optimizer-before-sharding',
    why: 'another one takes its place',
    text: 'import torch\nfrom torch.distributed.fsdp import fully_shard\nopt = torch.optim.AdamW(net.parameters())\nfully_shard(net)\nopt = torch.optim.AdamW(net.parameters())\n',
  },
  {
    rule: 'sampler-without-set-epoch',
    why: 'a helper of a library',
    text: 'from torch.utils.data.distributed import DistributedSampler\ndef create_loader(data):\n    return DistributedSampler(data)\n',
  },
  {
    rule: 'no-destroy-process-group',
    why: 'a helper of a library',
    text: 'import torch.distributed as dist\ndef start():\n    dist.init_process_group("nccl")\n',
  },
  {
    rule: 'not-valid-python',
    why: 'a decorator that goes on behind its call',
    text: 'import torch\n@Plugin("x").register()\ndef f():\n    pass\n',
  },
  {
    rule: 'not-valid-python',
    why: 'a with statement in parentheses',
    text: 'import torch\nwith (\n    open("a(", "w") as f,  # a comment\n    patch(\n        "b",\n    ) as g,\n):\n    f.write("x")\n',
  },
  {
    rule: 'not-valid-python',
    why: 'a starred target in a comprehension',
    text: 'import torch\nboxes = [b for *b, conf in rows]\nclasses = [c for c, *b in rows]\n',
  },
  {
    rule: 'not-valid-python',
    why: 'a shell command over several lines of a cell',
    kind: 'notebook',
    text: JSON.stringify({
      nbformat: 4,
      cells: [cell('import torch', '!pip install -q \\', '    accelerate \\', '    peft', 'x = 1')],
    }),
  },
  {
    rule: 'name-not-imported',
    why: 'a script for Python 2 as well',
    text: 'import sys, torch\nif sys.version_info[0] == 2:\n    line = unicode(line, "utf-8")\n',
  },
  {
    rule: 'kill-by-name',
    why: 'what holds a port, or children of this shell',
    kind: 'shell',
    text: 'kill $(lsof -t -i:29500)\nkill $(pgrep -P $$)\ntrap "kill $(jobs -p)" EXIT\n',
  },
  {
    rule: 'not-valid-json',
    why: 'numbers that Python writes',
    kind: 'json',
    text: '{ "snr": Infinity, "low": [-Infinity, NaN], "text": "NaN: x" }',
  },
  {
    rule: 'not-valid-json',
    why: 'an object a line',
    kind: 'json',
    text: '{"subject": "a"}\n{"subject": "b"}\n',
  },
];
