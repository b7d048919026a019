/** `check` over texts that repeat something: every kind of file, every rule's own faults. */
import type { FileKind } from '../../shared/check/check';
import { faults } from '../unit/shared/check/faults';
import { quiet } from '../unit/shared/check/quiet';
import { startCounting } from './countSteps';
import { repeated, report } from './report';

startCounting();
const { check } = await import('../../shared/check/check');

const size = 300;

/** Everything that a rule asks about is in a script like this one. */
const head = [
  'import torch, torch.distributed as dist, os',
  'from torch.nn.parallel import DistributedDataParallel as DDP',
  'from torch.utils.data import DataLoader, Dataset',
  'dist.init_process_group("nccl")',
  'device = "cuda"',
  '',
].join('\n');
const loop = `${head}for x in y:\n  loss = criterion(model(x))\n  loss.backward()\n`;

/** What is repeated, by kind: pieces that open something, that end nothing, and that rules look at. */
const pieces: Readonly<Record<FileKind, readonly string[]>> = {
  python: [
    ...'\n| |\t|"|\'|"""|\'\'\'|\\|\\\n|"\\"|#|(|[|{|)|(\n|x(|[(|a.|a.b().|-|not |lambda: |@|@a(b)\n|0.|yield |with (|with (a as b,'.split(
      '|',
    ),
    ...[
      'a = b\n',
      'a = ',
      'a = b = c()\n',
      'loss = criterion(x)\n',
      'a, ',
      'for x in y ',
      'x for ',
      'as (',
      'if rank == 0:\n',
    ],
    ...[
      'x.cuda();',
      'torch.save(x, y)\n',
      'dist.barrier()\n',
      'if rank == 0: dist.barrier()\n',
      'elif rank > 1: dist.barrier()\n',
    ],
    ...[
      'f"{',
      'class A(Dataset): pass\n',
      'def f(): return\n',
      'f = "',
      'import a\n',
      'import a,',
      'from a import (',
      'with a, ',
      'with (a as b):\n  c()\n',
    ],
    ...[
      'async ',
      'try:\n',
      'else:\n',
      'i % num_gpus + ',
      '%  ',
      'DataLoader(x)\n',
      'DataLoader(x, **y)\n',
      '  ',
      ' \n',
      'print x\n',
      '🙂',
      '\u00a0',
    ],
  ],
  notebook: ['%%bash\n', '!ls \\\n', '%', 'x = (\n', 'pip install ', "'\\'", 'a = b\n'],
  shell: [
    ...'\n| |\\\n|a \\\n|#| #|(|`|$(|;|ps |kill |xargs |kill $(|kill `ps |pkill |fuser -|fuser -k|python -m |docker run |python -a |lsof -|pgrep  '.split(
      '|',
    ),
  ],
  json: [
    '\n',
    ' ',
    '[',
    '{',
    '"',
    '\\',
    '"\\"',
    '[ ',
    ': ',
    ':,',
    'NaN',
    ' NaN ,',
    '-',
    '-Infinity ',
    '{"a":',
    '{"train_batch_size":1,',
    '1,',
    '[[],',
    '\ud800',
  ],
  yaml: [
    ...'\n| |- |? |: |[|{|]|,|"|\'|#|\\|&a |*a |!t |%|--- \n|- &a x\n|- *a\n|a: b\n| a:\n|- - |{a: |? a\n|- [\n|>\n|-\n|x: &x *x\n|"\\'.split(
      '|',
    ),
    'containers:\n- nvidia.com/gpu\n',
  ],
};

const heads: Readonly<Record<FileKind, readonly string[]>> = {
  python: [`${head}def evaluate():\n  for x in y: `, loop],
  notebook: [''],
  shell: ['', 'kill '],
  json: ['', '{"train_batch_size": "'],
  yaml: ['', 'num_processes: 2\ncontainers:\n- nvidia.com/gpu: '],
};

const asNotebook = (source: string): string =>
  JSON.stringify({ cells: [{ cell_type: 'code', source: [source] }] });

for (const kind of ['python', 'notebook', 'shell', 'json', 'yaml'] as const)
  for (const first of heads[kind])
    for (const piece of pieces[kind])
      report(
        `${kind}: ${JSON.stringify(first.slice(-30))} and then ${JSON.stringify(piece)}`,
        size,
        (length) => {
          const source = repeated(first, piece, length);
          return check(kind === 'notebook' ? asNotebook(source) : source, kind);
        },
      );

for (const [place, { rule, kind = 'python', text }] of [...faults, ...quiet].entries())
  if (kind !== 'json' && kind !== 'notebook')
    report(`${rule} (${place})`, size, (length) => check(repeated('', `${text}\n`, length), kind));
