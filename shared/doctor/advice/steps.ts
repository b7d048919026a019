import { message, type MessageKey } from '../../i18n/message';
import type { catalogue } from '../../i18n/en';
import { MiB } from '../../units';
import type { Context } from '../failures/readFailure';
import { looksLikeWindows } from '../judging/numbers';
import { has, isTorchBefore, isTorchFrom, matchesFormat, numberDetail, printedBy } from '../judging/context';
import type { Fix } from '../types';
import { programRow, vendorRow, wordOfPlace } from '../words/environment';
import { pyTorchWords } from '../words/pyTorch';
import type { Topic } from '../words/topics';

/** Steps that several causes share, each in the words of the program, the maker and the place that the text shows. */

type Step = (context: Context) => Fix | null;
type PlainFixKey = {
  [
    K in keyof (typeof catalogue)['doctorFixes'] & string
  ]: (typeof catalogue)['doctorFixes'][K] extends `${string}{${string}` ? never : `doctorFixes.${K}`;
}[keyof (typeof catalogue)['doctorFixes'] & string] &
  MessageKey;

/** A step whose words hold for every program; `setting` is a line to copy. */
export function step(key: PlainFixKey, setting: string | null = null): Fix {
  return { text: message(key), setting };
}

/** A step with the program's own flag, parameter or call, where it has one that is known; plain words where not. */
export function inWordsOf(context: Context, key: PlainFixKey, topic: Topic): Fix {
  return step(key, wordFor(context, topic));
}

/** As `inWordsOf`, for what a program can only do if it has a word for it. */
function ifItCan(context: Context, key: PlainFixKey, topic: Topic): Fix | null {
  const word = wordFor(context, topic);
  return word === null ? null : step(key, word);
}

function wordFor({ failure: { environment } }: Context, topic: Topic): string | null {
  const own = programRow(environment)?.words[topic] ?? null;
  return own ?? (environment.onPyTorch ? (pyTorchWords[topic] ?? null) : null);
}

function does(context: Context): 'training' | 'imaging' | 'serving' | null {
  return programRow(context.failure.environment)?.does ?? null;
}

/** What the planner can say, as a command for the folder of the model. */
export const plan: Step = (context) => {
  const capacity = context.failure.quantities.capacity;
  const kind = does(context);
  if (kind !== null && kind !== 'training') return null;
  return capacity === null
    ? step('doctorFixes.plan', 'headroom plan --model config.json --gpus detected')
    : step('doctorFixes.plan', `headroom plan --model config.json --gpus ${Math.floor(capacity / MiB)}`);
};

/** The program needs less at once: what that is depends on what it does. */
export function needLess(context: Context): readonly (Fix | null)[] {
  switch (does(context)) {
    case 'serving':
      return [
        inWordsOf(context, 'doctorFixes.shorterModelLength', 'contextLength'),
        inWordsOf(context, 'doctorFixes.fewerSequences', 'fewerRequests'),
        ifItCan(context, 'doctorFixes.smallerCacheType', 'cacheType'),
        ifItCan(context, 'doctorFixes.offloadWeights', 'weightOffload'),
        quantisedWeights(context),
        ifItCan(context, 'doctorFixes.spreadOverCards', 'moreCards'),
      ];
    case 'imaging':
      return [
        inWordsOf(context, 'doctorFixes.lowMemoryMode', 'lowMemoryMode'),
        step('doctorFixes.smallerImage'),
        ifItCan(context, 'doctorFixes.tiledDecoding', 'tiledDecoding'),
        quantisedWeights(context),
        ifItCan(context, 'doctorFixes.offloadWeights', 'weightOffload'),
      ];
    case 'training':
    case null:
      return [
        microBatch(context),
        checkpointing(context),
        inWordsOf(context, 'doctorFixes.shorterInput', 'shorterInput'),
        lowMemory(context),
        wiredLimit(context),
        plan(context),
      ];
  }
}

/** The weights alone do not fit: nothing that is done per batch helps. */
export function smallerModel(context: Context): readonly (Fix | null)[] {
  return [
    quantisedWeights(context),
    ifItCan(context, 'doctorFixes.offloadWeights', 'weightOffload'),
    ifItCan(context, 'doctorFixes.spreadOverCards', 'moreCards'),
    step('doctorFixes.smallerModel'),
    plan(context),
  ];
}

export const microBatch = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.smallerMicroBatch', 'microBatch');
export const checkpointing = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.checkpointing', 'checkpointing');
export const quantisedWeights = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.loadQuantised', 'quantisedWeights');
export const evaluationBatch = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.smallerEvalBatch', 'evaluationBatch');
export const reducePredictions = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.reducePredictions', 'reducedPredictions');
export const fewerWorkers = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.fewerWorkers', 'dataWorkers');
export const pinLess = (context: Context): Fix => inWordsOf(context, 'doctorFixes.pinLess', 'pageLocking');
export const fusedAttention = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.fusedAttention', 'fusedAttention');
export const eightBitOptimizer: Step = (context) =>
  context.failure.environment.onPyTorch
    ? inWordsOf(context, 'doctorFixes.eightBitOptimizer', 'eightBitOptimizer')
    : null;
export const shardOptimizer = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.shardOptimizer', 'shardedOptimizer');
export const shardModel = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.shardModel', 'shardedModel');
export const roomForLibrary = (context: Context): Fix =>
  inWordsOf(context, 'doctorFixes.leaveRoomForLibrary', 'roomForLibrary');
export const dataStream: Step = (context) => ifItCan(context, 'doctorFixes.dataStream', 'dataStream');
export const wiredLimit: Step = (context) => ifItCan(context, 'doctorFixes.wiredLimit', 'wiredLimit');
/** Programs without weights on the meta device have their own ways to need less: bf16, donated buffers. */
const lowMemory: Step = (context) =>
  context.failure.environment.onPyTorch
    ? null
    : ifItCan(context, 'doctorFixes.lowMemoryMode', 'lowMemoryMode');

/** A step of programs that stand on PyTorch, with its call where it is known to be there. */
function onPyTorch(key: PlainFixKey, setting: string): Step {
  return ({ failure: { environment } }) => {
    if (environment.onPyTorch) return step(key, setting);
    return environment.program === null ? step(key) : null;
  };
}

export const noGrad = onPyTorch('doctorFixes.noGrad', 'with torch.no_grad():');
export const setDevice = onPyTorch(
  'doctorFixes.setDevice',
  'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))',
);
export const mapLocation = onPyTorch('doctorFixes.mapLocation', 'torch.load(path, map_location="cpu")');

export const staleJobs = step('doctorFixes.staleJobs', 'headroom stale');
export const endHolder = step('doctorFixes.endHolder');

export const findHolder: Step = (context) => {
  const row = vendorRow(context.failure.environment);
  if (row?.name === 'apple') return step('doctorFixes.activityMonitor');
  return step('doctorFixes.findHolder', row?.listProcesses ?? null);
};

export const watchCard: Step = (context) => {
  const row = vendorRow(context.failure.environment);
  if (row?.name === 'apple') return step('doctorFixes.activityMonitor');
  return step('doctorFixes.watchCard', row?.watch ?? null);
};

export const otherCard: Step = (context) => {
  const variable = vendorRow(context.failure.environment)?.visibleDevices ?? null;
  if (variable === null) return null;
  return step('doctorFixes.otherCard', `${variable}=${context.failure.facts.gpuIndex === 1 ? 0 : 1}`);
};

export const visibleCards: Step = (context) => {
  const row = vendorRow(context.failure.environment);
  return row === null || row.visibleDevices === null || row.listCards === null
    ? null
    : step('doctorFixes.unsetVisibleDevices', `echo $${row.visibleDevices}; ${row.listCards}`);
};

export const resetCard: Step = (context) =>
  vendorRow(context.failure.environment)?.name === 'nvidia'
    ? step('doctorFixes.resetCard', `sudo nvidia-smi --gpu-reset -i ${context.failure.facts.gpuIndex ?? 'N'}`)
    : step('doctorFixes.resetCard');

export const readXid = step('doctorFixes.readXid', 'sudo dmesg -T | grep -i -e xid -e nvrm');

export const leaveSelf: Step = (context) => {
  const self = context.failure.quantities.ownListed;
  return self === null
    ? null
    : { text: message('doctorFixes.leaveSelf', { pid: String(self.pid) }), setting: null };
};

export const hostMemory: Step = ({ failure: { environment } }) => {
  if (environment.places.has('macos')) return step('doctorFixes.activityMonitor');
  return step('doctorFixes.checkHostMemory', wordOfPlace(environment, 'showHostMemory'));
};

/** More host memory, in the words of whoever gives it out; on one's own machine there is only what is built in. */
export const moreHostMemory: Step = ({ failure: { environment } }) => {
  const word = wordOfPlace(environment, 'moreHostMemory');
  if (word !== null) return step('doctorFixes.raiseJobMemory', word);
  if (environment.places.has('colab')) return step('doctorFixes.highRamRuntime');
  return step('doctorFixes.closePrograms');
};

export const whoKilled: Step = ({ failure: { environment } }) => {
  const word = wordOfPlace(environment, 'whoKilled');
  return word === null ? null : step('doctorFixes.readKernelLog', word);
};

export const largerSharedMemory: Step = ({ failure: { environment } }) =>
  step('doctorFixes.largerShm', wordOfPlace(environment, 'largerSharedMemory'));

export const pageFile: Step = (context) =>
  looksLikeWindows(context) ? step('doctorFixes.largerPageFile') : null;

/** Settings of PyTorch's allocator, by the version that the message tells. */
export const allocatorSegments: Step = (context) => {
  const variable = vendorRow(context.failure.environment)?.allocatorSettings ?? null;
  if (!context.failure.environment.onPyTorch || variable === null) return null;
  if (isTorchBefore(context, '2.1'))
    return step('doctorFixes.maxSplitSize', `${variable}=max_split_size_mb:256`);
  const name = isTorchFrom(context, '2.9') ? 'PYTORCH_ALLOC_CONF' : variable;
  return step('doctorFixes.expandableSegments', `${name}=expandable_segments:True`);
};

/** A serving engine that measured the card at its start: the share that is free now, a little below. */
export const lowerDeviceShare: Step = (context) => {
  const { free, capacity, tried } = context.failure.quantities;
  const known = wordFor(context, 'smallerDeviceShare');
  if (known !== null) return step('doctorFixes.lowerUtilization', known);
  if (context.failure.environment.program !== 'vllm') return step('doctorFixes.lowerUtilization');
  const share =
    capacity === null || capacity === 0
      ? usualShare
      : matchesFormat(context, 'vllm-startup') && free !== null
        ? free / capacity
        : usualShare - ((tried ?? 0) - Math.min(free ?? 0, tried ?? 0)) / capacity;
  const rounded = Math.max(0.1, Math.floor(100 * share) / 100).toFixed(2);
  return step('doctorFixes.lowerUtilization', `--gpu-memory-utilization ${rounded}`);
};

/** Below the engines' own default of 0.9. */
const usualShare = 0.85;

/** An engine whose weights leave too little for its cache wants a larger share of the card, and shorter requests. */
export function moreRoomForCache(context: Context): readonly (Fix | null)[] {
  const longest =
    numberDetail(context.failure, 'estimatedModelLength') ?? numberDetail(context.failure, 'cacheTokens');
  const flag = context.failure.environment.program === 'sglang' ? '--context-length' : '--max-model-len';
  const shorter =
    longest === null
      ? inWordsOf(context, 'doctorFixes.shorterModelLength', 'contextLength')
      : step('doctorFixes.shorterModelLength', `${flag} ${longest}`);
  const larger = ifItCan(context, 'doctorFixes.raiseUtilization', 'deviceShare');
  // A length that the engine itself found to fit is sure to help; without one the larger share comes first.
  return [
    ...(longest === null ? [larger, shorter] : [shorter, larger]),
    ifItCan(context, 'doctorFixes.smallerCacheType', 'cacheType'),
    ifItCan(context, 'doctorFixes.spreadOverCards', 'moreCards'),
    quantisedWeights(context),
  ];
}

/** An engine whose pool of tokens was used up by the requests in flight. */
export function moreRoomForRequests(context: Context): readonly (Fix | null)[] {
  return [
    inWordsOf(context, 'doctorFixes.fewerSequences', 'fewerRequests'),
    ifItCan(context, 'doctorFixes.raiseUtilization', 'deviceShare'),
    ifItCan(context, 'doctorFixes.smallerCacheType', 'cacheType'),
    inWordsOf(context, 'doctorFixes.shorterModelLength', 'contextLength'),
  ];
}

/** What takes most host memory while the job does what it did last. */
export function lessHostMemory(context: Context): readonly (Fix | null)[] {
  const { progress } = context.failure;
  if (matchesFormat(context, 'compiler-killed')) return [step('doctorFixes.fewerCompilers', 'MAX_JOBS=2')];
  if (does(context) === 'serving') return [step('doctorFixes.smallerModel')];
  if (has(context, 'loadWords', 'loadFrame') || progress?.phase === 'loading')
    return [lowCpuMemory(context), fewerWorkers(context)];
  const isAtEnd = progress !== null && progress.done === progress.total;
  if (has(context, 'saveWords', 'saveFrame') || isAtEnd)
    return [shardedCheckpoint(context), fewerWorkers(context), lowCpuMemory(context)];
  return [fewerWorkers(context), lowCpuMemory(context)];
}

const lowCpuMemory: Step = ({ failure: { environment } }) => {
  const loadsFromHub = ['trainer', 'trl', 'axolotl', 'llama-factory', 'unsloth', 'diffusers'];
  return step(
    'doctorFixes.lowCpuMemory',
    environment.program !== null && loadsFromHub.includes(environment.program)
      ? 'from_pretrained(…, low_cpu_mem_usage=True)'
      : null,
  );
};
export const shardedCheckpoint: Step = onPyTorch(
  'doctorFixes.shardedCheckpoint',
  'torch.distributed.checkpoint.save(state, checkpoint_id=folder)',
);

/** A line of PyTorch, where PyTorch runs. */
export function onTorch({ failure: { environment } }: Context, setting: string): string | null {
  return environment.onPyTorch ? setting : null;
}

export function freeTheCard(context: Context): readonly (Fix | null)[] {
  return [leaveSelf(context), findHolder(context), staleJobs, endHolder, otherCard(context)];
}

export const flightRecorder = step(
  'doctorFixes.flightRecorder',
  'TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1',
);

export const chunkHostArray: Step = ({ failure: { facts } }) =>
  facts.triedBytes === null
    ? null
    : { text: message('doctorFixes.chunkHostArray', { tried: facts.triedBytes }), setting: null };

export const smallerKernel: Step = (context) => {
  const limit = numberDetail(context.failure, 'limitBytes');
  const setting = printedBy(context, 'triton') ? 'triton.Config({…}, num_stages=2)' : null;
  return limit === null
    ? step('doctorFixes.smallerKernel', setting)
    : { text: message('doctorFixes.smallerKernelBlocks', { limit }), setting };
};
