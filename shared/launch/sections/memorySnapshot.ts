import type { PythonText } from '../python';

/** Parameters, gradients and optimizer states are all there after the first step; the third is like all that follow. */
const snapshotStep = 3;
/** Three steps of a 70-layer model make some ten thousand entries; a long run keeps the newest. */
const mostEntries = 200_000;

/**
 * The parts of `--memory-snapshot`. Recording takes a few per cent of a step's time and host memory for the history, so nothing is
 * recorded without the argument. `headroom snapshot` reads what it writes.
 * https://docs.pytorch.org/docs/2.11/torch_cuda_memory.html
 */
export const memorySnapshotParts = {
  argument: `parser.add_argument("--memory-snapshot", metavar="FOLDER", help="record memory, and write what was recorded after step ${snapshotStep} and at a failure")`,
  /** The rank has its card, and nothing is allocated yet. */
  begin: 'record_memory(args.memory_snapshot)',
  /** The condition and the call after a step. */
  afterStep: [
    `if step == min(${snapshotStep}, args.steps)`,
    'write_memory_snapshot(args.memory_snapshot, f"step{step}")',
  ],
  /** Where a rank failed: the request that could not be served is in its history. */
  atFailure: 'write_memory_snapshot(args.memory_snapshot, "failure")',
} as const;

/** The functions that begin to record and write what was recorded. */
export function writeMemorySnapshot(text: PythonText): void {
  text.define('def record_memory(folder)', (body) =>
    body.block('if folder is not None and torch.cuda.is_available()', (leaf) =>
      leaf.line(`torch.cuda.memory._record_memory_history(max_entries=${mostEntries})`),
    ),
  );
  text.define('def write_memory_snapshot(folder, moment)', (body) => {
    body.line('"""Who holds the memory of this rank\'s card. Read it with: headroom snapshot FILE."""');
    body.block('if folder is None or not torch.cuda.is_available()', (leaf) => leaf.line('return'));
    body.line("file = Path(folder) / f\"rank{os.environ.get('RANK', '0')}-{moment}.pickle\"");
    body.block('try', (leaf) =>
      leaf.line(
        'file.parent.mkdir(parents=True, exist_ok=True)',
        'torch.cuda.memory._dump_snapshot(str(file))',
        'log.info("memory snapshot: %s", file)',
      ),
    );
    body.block('except Exception', (leaf) =>
      leaf.line(
        '# A full disk must neither end a training nor hide why it failed.',
        'log.exception("no memory snapshot was written")',
      ),
    );
  });
}

/** In the training loop, after a step. */
export function writeSnapshotAfterStep(loop: PythonText): void {
  const [condition, call] = memorySnapshotParts.afterStep;
  loop.block(condition, (leaf) => leaf.line(call));
}
