/** Measured rows and traces, and the settings each was measured with. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Architecture } from '../../shared/model/architecture';
import { readModel } from '../../shared/families/readModel';
import type {
  GradientSync,
  Offload,
  Precision,
  Strategy,
  TrainingSettings,
} from '../../shared/memory/configuration';
import { spreadOf as spreadOfRequest } from '../../shared/memory/spread';
import { aloneSpread, type Spread } from '../../shared/memory/training/distribution';
import type { Schedule } from '../../shared/memory/training/pipeline/schedule';
import type { OptimizerName } from '../../shared/memory/training/optimizers';

/** What describes a run in every file of `measured/`. */
export interface MeasuredRun {
  readonly model: string;
  readonly precision: Precision;
  readonly batch: number;
  readonly seq: number;
  readonly config?: Readonly<Record<string, unknown>>;
  /** The whole configuration where no file in `configs/` has it: what differs from transformers' defaults. */
  readonly cfg?: Readonly<Record<string, unknown>> | null;
  readonly ckpt?: boolean;
  readonly attn?: string;
  readonly sdp?: 'flash' | 'efficient' | 'cudnn';
  readonly optim?: string;
  readonly clip?: boolean;
  readonly lora?: number;
  readonly targets?: readonly string[];
  readonly lora_dropout?: number;
  readonly strategy?: string;
  readonly world?: number;
  /** The process, or the card of a process with several; only runs on two cards have it. */
  readonly rank?: number;
  readonly accumulation?: number;
  /** When gradients were exchanged, where a step had several micro-batches. */
  readonly sync?: GradientSync;
  /** In which type FSDP reduced gradients. */
  readonly reduce?: 'float32' | 'bfloat16';
  readonly schedule?: Schedule;
  /** How one process placed its layers on its cards. */
  readonly layers?: 'balanced' | 'round-robin';
  /** What moves tensors between placed layers. */
  readonly hooks?: 'accelerate';
  /** Where DataParallel computes the loss: in each replica, on the first card, or in each replica with the logits gathered, too. */
  readonly gather?: 'inside' | 'outside' | 'both';
  readonly error?: string;
}

export interface MeasuredRow extends MeasuredRun {
  readonly params: number;
  readonly trainable: number;
  readonly alloc_after_build: number;
  readonly peak_alloc: number;
  readonly reserved: number;
  readonly nvml: number | null;
  readonly context_end: number;
  readonly steps?: number;
  readonly expandable_segments?: boolean;
  readonly host_rss?: number;
}

/** One line a run; the file's name without `.jsonl` or `.jsonl.gz`, in `folder` unless it is a whole path. */
export function readLines<T>(folder: string, name: string): readonly T[] {
  const file = path.resolve(folder, `${name}.jsonl`);
  const text = existsSync(file)
    ? readFileSync(file, 'utf8')
    : existsSync(`${file}.gz`)
      ? gunzipSync(readFileSync(`${file}.gz`)).toString('utf8')
      : '';
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}

const architectures = new Map<string, Architecture>();

/** The model of a run with the changes that it was run with (fewer layers), from `measured/configs`. */
export function architectureOf(folder: string, run: MeasuredRun): Architecture {
  const key = `${run.model} ${JSON.stringify(run.cfg ?? run.config ?? {})}`;
  const known = architectures.get(key);
  if (known !== undefined) return known;
  const config = run.cfg ? withClass(run.cfg) : configFile(folder, run);
  const reading = readModel(JSON.stringify(config));
  if (reading.kind === 'refused') throw new Error(`${run.model}: ${reading.reason.key}`);
  architectures.set(key, reading.architecture);
  return reading.architecture;
}

function configFile(folder: string, run: MeasuredRun): object {
  const text = readFileSync(path.join(folder, 'configs', `${run.model}.json`), 'utf8');
  return { ...(JSON.parse(text) as object), ...(run.config ?? {}) };
}

/** The kind of class that was trained, for the model types whose task is not text generation. */
const taskClasses: readonly (readonly [RegExp, string])[] = [
  [
    /^(roberta|xlm-roberta|bert|deberta|deberta-v2|distilbert|albert|electra|modernbert|mpnet)$/,
    'ForMaskedLM',
  ],
  [/^(bart|mbart|pegasus|marian|t5|mt5|whisper)$/, 'ForConditionalGeneration'],
  [/^(clip|siglip)$/, 'Model'],
  [/^(vit|dinov2|deit|beit|swin)$/, 'ForImageClassification'],
];

/** A configuration made in code names no class. */
function withClass(config: Readonly<Record<string, unknown>>): object {
  const type = String(config['model_type']);
  const ending = taskClasses.find(([types]) => types.test(type))?.[1] ?? 'ForCausalLM';
  return { ...config, architectures: [`${type}${ending}`] };
}

const optimizers: Readonly<Record<string, OptimizerName>> = { sgdm: 'sgd-momentum' };

/** `lora_alpha` of all measured runs. */
const LAB_ALPHA = 16;

/** The run's settings under the product's names. */
export function settingsOf(run: MeasuredRun): TrainingSettings {
  const { lora, optim = 'adamw' } = run;
  return {
    method:
      lora === undefined
        ? { kind: 'full' }
        : {
            kind: 'lora',
            adapters: {
              rank: lora,
              alpha: LAB_ALPHA,
              targets: run.targets ?? 'all-linear',
              dropout: run.lora_dropout ?? 0,
              adapterType: 'fp32',
            },
          },
    precision: run.precision,
    optimizer: optimizers[optim] ?? (optim as OptimizerName),
    microBatch: run.batch,
    sequence: run.seq,
    accumulation: run.accumulation ?? 1,
    checkpointing: { kind: run.ckpt === true ? 'full' : 'none' },
    attention: run.attn === 'eager' ? 'eager' : (run.sdp ?? 'sdpa'),
    clipGradients: run.clip === true,
    gradientSync: run.sync ?? null,
    reduceType: run.reduce === 'bfloat16' ? 'compute' : 'fp32',
    // `lab/gt.py` makes images of fp32 whatever the weights are.
    pixels: 'fp32',
  };
}

const strategies: Readonly<Record<string, Strategy>> = {
  dp: 'dp',
  ddp: 'ddp',
  'ddp-view': 'ddp-bucket-view',
  fsdp2: 'fsdp-full',
  'fsdp2-offload': 'fsdp-full',
  'fsdp2-zero2': 'fsdp-grad-op',
  pipeline: 'pipeline',
  placement: 'pipeline',
  tensor: 'tensor',
};

/** How a run is spread, as a question names it. */
export interface MeasuredSpread {
  readonly strategy: Strategy;
  readonly world: number;
  readonly offload: Offload;
  readonly schedule: Schedule;
}

/** Whether the product offers what was measured; PyTorch's own ZeRO, layers in turns and a loss outside of DataParallel it does not. */
export const isOffered = ({ strategy, layers, gather }: MeasuredRun): boolean =>
  strategy !== 'zero-redundancy' && layers !== 'round-robin' && gather !== 'outside';

/** How the run was spread. `lab/gt.py` gives DDP a communicator of one process, whatever `world` says. */
export function measuredSpread({
  strategy = 'single',
  world = 1,
  rank,
  schedule,
}: MeasuredRun): MeasuredSpread {
  if (strategy === 'single') return { strategy, world: 1, offload: 'none', schedule: '1f1b' };
  const known = strategies[strategy];
  if (known === undefined) throw new Error(`no strategy ${strategy}`);
  return {
    strategy: known,
    world: known.startsWith('ddp') && rank === undefined ? 1 : world,
    offload: strategy.endsWith('offload') ? 'all' : 'none',
    schedule: strategy === 'placement' ? 'sequential' : (schedule ?? '1f1b'),
  };
}

/** The same as the step simulation takes it. */
export function spreadOf(architecture: Architecture, run: MeasuredRun): Spread {
  const spread = measuredSpread(run);
  if (spread.strategy === 'single') return aloneSpread;
  const request = {
    ...spread,
    training: settingsOf(run),
    expandableSegments: false,
    card: null,
    cardMib: [],
    contextMib: null,
    timeline: false,
  };
  return spreadOfRequest(architecture, request, run.rank ?? 0);
}

const describedKeys = [
  ...(['attn', 'sdp', 'optim', 'strategy', 'world', 'lora', 'lora_dropout', 'rank'] as const),
  ...(['accumulation', 'sync', 'reduce', 'schedule', 'layers', 'hooks', 'gather'] as const),
] as const;

/** A run in one line, as reports name it. */
export function describeRun(run: MeasuredRun): string {
  const parts = [run.model, run.precision, `b${run.batch}s${run.seq}`];
  if (run.ckpt === true) parts.push('ckpt');
  for (const key of describedKeys) if (run[key] !== undefined) parts.push(`${key}=${String(run[key])}`);
  if (run.targets !== undefined) parts.push(run.targets.join('+'));
  if (run.clip === true) parts.push('clip');
  return parts.join(' ');
}
