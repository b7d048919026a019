import { dividesSamples, isDataParallel, isPipeline, type LaunchPlan } from '../plan';
import type { PythonText } from '../python';

/** The data set: a folder of text or JSONL cut into samples of one length, or a small built-in sample. */
export function writeData(text: PythonText, plan: LaunchPlan): void {
  if (plan.task === 'image') writeImages(text);
  else writeTexts(text, plan);
  text.define('def make_loader(dataset, shuffle_seed)', (body) => {
    if (dividesSamples(plan))
      body.line(
        'sampler = DistributedSampler(dataset, shuffle=True, seed=shuffle_seed, drop_last=True)',
        'loader = DataLoader(',
        '    dataset, batch_size=MICRO_BATCH, sampler=sampler, drop_last=True,',
        '    num_workers=2, pin_memory=torch.cuda.is_available(), persistent_workers=True,',
        ')',
        'return loader, sampler',
      );
    else
      body.line(
        'generator = torch.Generator().manual_seed(shuffle_seed)',
        'loader = DataLoader(',
        `    dataset, batch_size=${batchSize(plan)}, shuffle=True, generator=generator, drop_last=True,`,
        '    num_workers=2, pin_memory=torch.cuda.is_available(), persistent_workers=True,',
        ')',
        'return loader, None',
      );
  });
}

/** What one call of the loader brings: DataParallel divides it over the cards, a pipeline into its micro-batches. */
function batchSize(plan: LaunchPlan): string {
  if (isDataParallel(plan)) return 'MICRO_BATCH * CARDS';
  return isPipeline(plan) ? 'MICRO_BATCH * ACCUMULATION_STEPS' : 'MICRO_BATCH';
}

function writeTexts(text: PythonText, plan: LaunchPlan): void {
  text.define('def read_texts(folder)', (body) => {
    body.line(
      '"""Yields the texts of a folder: every .txt file, and the field "text" of every line of .jsonl files."""',
    );
    body.block('if folder is None', (inner) => {
      inner.line(
        '# A sample that is always there, so that the script can be tried at once.',
        'yield from ("The card fills first where the most is kept. " * 400 for _ in range(64))',
        'return',
      );
    });
    body.block('for file in sorted(Path(folder).rglob("*"))', (inner) => {
      inner.block('if file.suffix == ".txt"', (leaf) =>
        leaf.line('yield file.read_text(encoding="utf-8", errors="replace")'),
      );
      inner.block('elif file.suffix == ".jsonl"', (leaf) => {
        leaf.block('with file.open(encoding="utf-8") as lines', (rows) =>
          rows.line('yield from (json.loads(line)["text"] for line in lines if line.strip())'),
        );
      });
    });
  });
  text.define('class TokenBlocks(Dataset)', (body) => {
    body.line(
      '"""Texts as token ids, joined and cut into samples of SEQUENCE tokens. It stays on the CPU."""',
      '',
    );
    body.block('def __init__(self, folder, tokenizer, vocabulary)', (init) => {
      init.line('ids = []');
      init.block('for text in read_texts(folder)', (loop) => {
        loop.block('if tokenizer is None', (leaf) =>
          leaf.line('ids.extend(byte % vocabulary for byte in text.encode("utf-8"))'),
        );
        loop.block('else', (leaf) => leaf.line('ids.extend(tokenizer(text)["input_ids"])'));
      });
      init.line('count = len(ids) // SEQUENCE');
      init.block('if count == 0', (leaf) =>
        leaf.line('raise SystemExit(f"{folder}: fewer than {SEQUENCE} tokens; give more text")'),
      );
      init.line(
        'self.blocks = torch.tensor(ids[: count * SEQUENCE], dtype=torch.long).view(count, SEQUENCE)',
      );
    });
    body.blank();
    body.block('def __len__(self)', (leaf) => leaf.line('return len(self.blocks)'));
    body.blank();
    body.block('def __getitem__(self, index)', (leaf) => {
      leaf.line('block = self.blocks[index]');
      if (plan.task === 'sequence-to-sequence') leaf.line('return {"input_ids": block, "labels": block}');
      else
        leaf.line('return {"input_ids": block, "attention_mask": torch.ones_like(block), "labels": block}');
    });
  });
}

function writeImages(text: PythonText): void {
  text.define('class RandomImages(Dataset)', (body) => {
    body.line('"""Stands for your own data set: images as the model takes them, made up on the CPU."""', '');
    body.block('def __init__(self, size, channels, labels, count=4096)', (leaf) =>
      leaf.line('self.size, self.channels, self.labels, self.count = size, channels, labels, count'),
    );
    body.blank();
    body.block('def __len__(self)', (leaf) => leaf.line('return self.count'));
    body.blank();
    body.block('def __getitem__(self, index)', (leaf) =>
      leaf.line(
        'generator = torch.Generator().manual_seed(index)',
        'image = torch.randn(self.channels, self.size, self.size, generator=generator)',
        'return {"pixel_values": image, "labels": torch.tensor(index % self.labels)}',
      ),
    );
  });
}
