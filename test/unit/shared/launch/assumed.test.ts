/**
 * Every script that `plan --write` can produce against what the estimate behind it assumes. Each line that decides memory is read from the
 * text and compared with what the engine plays, which is asked here and not written down again.
 */
import { describe, expect, it } from 'vitest';
import { deepSpeedConfig } from '../../../../shared/launch/configurations';
import type { LaunchPlan } from '../../../../shared/launch/plan';
import { trainScript } from '../../../../shared/launch/trainScript';
import {
  type EstimateRequest,
  gradientSyncNames,
  gradientSyncOf,
  isFsdp,
  isMixed,
  isZero,
  offloadNames,
  precisionNames,
  strategyNames,
} from '../../../../shared/memory/configuration';
import { ATTENTION_REQUESTS } from '../../../../shared/memory/operations/attention/request';
import { spreadOf } from '../../../../shared/memory/spread';
import { optimizerNames } from '../../../../shared/memory/training/optimizers';
import { typesOf } from '../../../../shared/memory/training/types';
import { writtenZeroConfig } from '../../../../shared/memory/training/zero/config';
import { configText } from '../../../../shared/model/catalogue/configText';
import { catalogueEntry } from '../../../../shared/model/catalogue/catalogue';
import { globalBatchOf, ranksOf, withMicroBatch } from '../../../../shared/strategy/batch';
import { candidatesOf } from '../../../../shared/strategy/enumerate';
import { launchPlanOf } from '../../../../shared/strategy/launchPlan';
import { planOf } from '../../../../shared/strategy/plan';
import { settingsAgainst } from '../../../../shared/strategy/settingsAgainst';
import { cardsOf, catalogued, questionOf } from '../strategy/questions';

/** What of a run decides its memory; a run's script and its estimate each say it in their own way. */
interface Facts {
  readonly weights: 'float32' | 'bfloat16' | 'float16';
  readonly autocast: 'bfloat16' | 'float16' | null;
  readonly scaler: boolean;
  readonly policy: { readonly compute: string; readonly reduce: string } | null;
  readonly reshards: boolean | null;
  readonly sync: 'each' | 'last' | null;
  readonly bucketViews: boolean | null;
  readonly offload: string;
  readonly checkpoints: boolean;
  readonly eager: boolean;
  readonly kernels: string;
  readonly optimizer: string;
  readonly clips: boolean;
  readonly dropsGradients: boolean;
  readonly expandable: boolean;
  readonly lossInModel: boolean;
  readonly adapters: string | null;
  readonly quantised: { readonly compute: string; readonly double: boolean } | null;
  readonly pixels: string | null;
  readonly counts: string;
}

const halfOf = (precision: string): 'bfloat16' | 'float16' =>
  precision === 'amp-fp16' ? 'float16' : 'bfloat16';

/** What the engine plays of a request. */
function assumed(request: EstimateRequest, spread: ReturnType<typeof spreadOf>, isImage: boolean): Facts {
  const { offload, strategy, training } = request;
  const { attention, checkpointing, method, precision } = training;
  const types = typesOf(precision, spread);
  const half = halfOf(precision);
  const kernels = {
    sdpa: '',
    eager: '',
    cudnn: 'cudnn',
    flash: 'flash mem_efficient',
    efficient: 'mem_efficient',
  };
  const adapters = method.kind === 'full' ? null : method.adapters;
  return {
    weights: types.builtBytes === 4 ? 'float32' : half,
    autocast: types.autocast ? half : null,
    scaler: precision === 'amp-fp16' && !isZero(strategy),
    policy: isFsdp(strategy) && isMixed(precision) ? { compute: half, reduce: 'float32' } : null,
    reshards: isFsdp(strategy) ? strategy === 'fsdp-full' : null,
    sync: gradientSyncOf(strategy, training),
    bucketViews: strategy === 'ddp' ? false : strategy === 'ddp-bucket-view' ? true : null,
    offload,
    checkpoints: checkpointing.kind === 'full',
    eager: attention === 'eager',
    kernels: attention === 'math' ? '' : kernels[attention],
    optimizer: isZero(strategy) ? 'deepspeed' : training.optimizer,
    clips: training.clipGradients,
    dropsGradients: true,
    expandable: request.expandableSegments,
    lossInModel: true,
    adapters:
      adapters === null
        ? null
        : [
            adapters.rank,
            adapters.alpha,
            adapters.dropout,
            String(adapters.targets),
            adapters.adapterType,
          ].join(' '),
    quantised:
      method.kind === 'qlora'
        ? { compute: precision === 'fp32' ? 'float32' : half, double: method.doubleQuantization }
        : null,
    pixels: !isImage ? null : training.pixels === 'weights' && types.builtBytes === 2 ? half : 'float32',
    counts: [training.microBatch, training.accumulation, isImage ? 0 : training.sequence].join(' '),
  };
}

/** What the written files say. */
function written(plan: LaunchPlan): Facts {
  const { text } = trainScript(plan);
  const zero = isZero(plan.strategy) ? deepSpeed(plan) : null;
  const found = (pattern: RegExp): string | null => pattern.exec(text)?.[1] ?? null;
  const has = (line: string): boolean => text.includes(line);
  const built =
    found(/dtype = torch\.(\w+)|dtype=torch\.(\w+), attn/) ??
    found(/from_config\(config, dtype=torch\.(\w+)/);
  const half = found(/^HALF = torch\.(\w+)/m);
  const policy = /param_dtype=torch\.(\w+), reduce_dtype=torch\.(\w+)\)/.exec(text);
  const wraps = has('DistributedDataParallel(');
  const shards = has('fully_shard(');
  const lora = /r=(\d+), lora_alpha=(\d+), lora_dropout=([\d.]+), target_modules=(.+),\n/.exec(text);
  const castsAdapters = found(/autocast_adapter_dtype=(\w+)/);
  return {
    weights: (zero?.weights ?? built ?? 'none') as Facts['weights'],
    autocast: has('torch.autocast(') ? (half as Facts['autocast']) : null,
    scaler: has('scaler.scale(') && has('scaler.step(optimizer)') && has('torch.amp.GradScaler('),
    policy: policy === null ? null : { compute: policy[1] ?? '', reduce: policy[2] ?? '' },
    reshards: shards ? found(/"reshard_after_forward": (\w+)/) === 'True' : null,
    sync:
      wraps || shards
        ? has('set_requires_gradient_sync(is_last)') || has('model.no_sync()')
          ? 'last'
          : 'each'
        : null,
    bucketViews: wraps ? found(/gradient_as_bucket_view=(\w+)/) === 'True' : null,
    offload: zero?.offload ?? (has('offload_policy') ? 'all' : 'none'),
    checkpoints: has('gradient_checkpointing_kwargs={"use_reentrant": False}'),
    eager: has('attn_implementation="eager"'),
    kernels: ['cudnn', 'flash', 'mem_efficient']
      .filter((kernel) => has(`enable_${kernel}_sdp(True)`))
      .join(' '),
    optimizer: zero === null ? optimizerOf(text) : 'deepspeed',
    clips: zero?.clips ?? (has('clip_grad_norm_(') || has('clip_gradients(stage, 1.0)')),
    dropsGradients: zero !== null || (has('zero_grad(set_to_none=True)') && !has('zero_grad()')),
    expandable: has('"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"'),
    lossInModel: has('model(**batch).loss') || has('loss_function(logits=logits'),
    adapters:
      lora === null
        ? null
        : [
            ...lora.slice(1, 4).map(Number),
            lora[4]?.replace(/[[\]" ]/g, ''),
            // peft makes them fp32 where it is told so, and where the base is.
            castsAdapters === 'True' ? 'fp32' : 'model',
          ].join(' '),
    quantised: has('load_in_4bit=True')
      ? {
          compute: found(/bnb_4bit_compute_dtype=torch\.(\w+)/) ?? '',
          double: found(/bnb_4bit_use_double_quant=(\w+)/) === 'True',
        }
      : null,
    pixels: plan.task === 'image' ? (found(/"pixel_values"\]\.to\(torch\.(\w+)\)/) ?? 'float32') : null,
    counts: [
      found(/^MICRO_BATCH = (\d+)/m),
      found(/^ACCUMULATION_STEPS = (\d+)/m),
      found(/^SEQUENCE = (\d+)/m) ?? 0,
    ].join(' '),
  };
}

const calls: readonly (readonly [string, string])[] = [
  ['adamw', 'torch.optim.AdamW(parameters, lr=learning_rate, foreach=True)'],
  ['adamw-fused', 'torch.optim.AdamW(parameters, lr=learning_rate, fused=True)'],
  ['adamw-loop', 'torch.optim.AdamW(parameters, lr=learning_rate, foreach=False)'],
  ['sgd', 'torch.optim.SGD(parameters, lr=learning_rate)'],
  ['sgd-momentum', 'torch.optim.SGD(parameters, lr=learning_rate, momentum=0.9)'],
  ['adafactor', 'Adafactor(parameters, lr=learning_rate, relative_step=False, scale_parameter=False)'],
  ['adamw-8bit', 'bitsandbytes.optim.AdamW8bit(parameters, lr=learning_rate)'],
  ['paged-adamw-8bit', 'bitsandbytes.optim.PagedAdamW8bit(parameters, lr=learning_rate)'],
];
const optimizerOf = (text: string): string =>
  calls.find(([, call]) => text.includes(`return ${call}`))?.[0] ?? 'none';

interface DeepSpeedFile {
  readonly gradient_clipping?: number;
  readonly bf16: { readonly enabled: boolean };
  readonly fp16: { readonly enabled: boolean };
  readonly optimizer: { readonly type: string };
  readonly zero_optimization: {
    readonly stage: number;
    readonly reduce_bucket_size: number;
    readonly offload_optimizer?: { readonly device: string };
    readonly offload_param?: { readonly device: string };
  };
}

function deepSpeed(plan: LaunchPlan): Pick<Facts, 'weights' | 'offload' | 'clips'> {
  const file = JSON.parse(deepSpeedConfig(plan).text) as DeepSpeedFile;
  const {
    offload_optimizer: optimizer,
    offload_param: parameters,
    reduce_bucket_size,
    stage,
  } = file.zero_optimization;
  expect(plan.strategy).toBe(`zero${stage}`);
  expect(reduce_bucket_size).toBe(writtenZeroConfig.reduceBucketElements);
  expect(file.optimizer.type).toBe('AdamW');
  const device = optimizer?.device ?? 'none';
  return {
    weights: file.bf16.enabled ? 'bfloat16' : file.fp16.enabled ? 'float16' : 'float32',
    offload:
      device === 'nvme' ? 'nvme' : parameters !== undefined ? 'all' : device === 'cpu' ? 'optimizer' : 'none',
    clips: file.gradient_clipping === 1,
  };
}

type Wishes = Readonly<Record<string, unknown>>;

/** All values of a dimension beside all values of the others. */
function* crossed(dimensions: Readonly<Record<string, readonly unknown[]>>): Generator<Wishes> {
  const [first, ...rest] = Object.entries(dimensions);
  if (first === undefined) {
    yield {};
    return;
  }
  const [key, values] = first;
  for (const others of crossed(Object.fromEntries(rest)))
    for (const value of values) yield value === undefined ? others : { [key]: value, ...others };
}

interface Written {
  readonly request: EstimateRequest;
  readonly plan: LaunchPlan;
}

/** The plan that the planner makes of wishes, as the command writes it; null where there is none, or no files for it. */
function planned(model: ReturnType<typeof modelOf>, wishes: Wishes): Written | null {
  const { architecture } = model;
  const world = wishes['strategy'] === 'single' ? 1 : 2;
  const question = questionOf(
    architecture,
    cardsOf(80_000, 80_000),
    { world, seq: 64, ...wishes },
    { globalBatch: 8 },
  );
  const [candidate] = candidatesOf(question, 'asked');
  if (candidate === undefined) return null;
  const request = withMicroBatch(
    candidate.request,
    8 / ranksOf(candidate.request) / 2,
    globalBatchOf(question),
  );
  if (request === null || settingsAgainst(architecture, request) !== null) return null;
  const draft = {
    candidate: { ...candidate, request },
    fit: {
      ranks: [],
      tightest: { rank: 0, cardBytes: 1, processBytes: 1, peakBytes: 1, contextBytes: 0 },
      verdict: 'fits',
    },
    verdict: 'fits',
    secondsPerSample: 1,
  } as const;
  const judgement = { kind: 'judged', cards: [], verdict: 'fits', hostBytes: 0, measured: true } as const;
  const answer = launchPlanOf(planOf(question, { kind: 'judged', draft, judgement }, 1, 1), model);
  return answer.kind === 'refused' ? null : { request, plan: answer.plan };
}

function modelOf(id: string) {
  const entry = catalogueEntry(id);
  if (entry === null) throw new Error(id);
  return { architecture: catalogued(id), name: id, configJson: configText(entry) };
}

const everywhere = {
  strategy: strategyNames,
  precision: precisionNames,
  offload: offloadNames,
  gradientSync: [undefined, ...gradientSyncNames],
  checkpointing: ['none', 'full'],
};

/** What is crossed with all strategies, precisions, offloads, and with recomputation. */
const kinds: readonly (readonly [string, string, Readonly<Record<string, readonly unknown[]>>, number])[] = [
  ['optimizers', 'llama-3.2-1b', { optimizer: optimizerNames, gradClip: [true, undefined] }, 700],
  [
    'attention kernels',
    'llama-3.2-1b',
    { attention: ATTENTION_REQUESTS, schedule: ['1f1b', 'gpipe', 'sequential'] },
    700,
  ],
  [
    'adapters',
    'llama-3.2-1b',
    {
      method: ['lora', 'qlora'],
      loraTargets: [undefined, ['q_proj', 'v_proj']],
      adapterDtype: [undefined, 'fp32', 'model'],
      doubleQuant: [true, undefined],
    },
    300,
  ],
  ['images', 'vit-base', { gradClip: [true, undefined] }, 100],
  ['masked words', 'bert-base', { optimizer: ['adamw-fused', 'adamw'] }, 100],
];

describe('the files of a plan do what its estimate assumes', () => {
  it.each(kinds)('with all %s of %s', (_, id, dimensions, atLeast) => {
    const model = modelOf(id);
    const seen = new Set<string>();
    let count = 0;
    for (const wishes of crossed({ ...everywhere, ...dimensions })) {
      const found = planned(model, wishes);
      if (found === null) continue;
      const { plan, request } = found;
      const facts = written(plan);
      const spread = spreadOf(model.architecture, request, 0);
      expect(facts, JSON.stringify(wishes)).toEqual(assumed(request, spread, plan.task === 'image'));
      seen.add(request.strategy);
      count += 1;
    }
    expect(count).toBeGreaterThanOrEqual(atLeast);
    expect(seen.size).toBeGreaterThanOrEqual(id === 'llama-3.2-1b' ? strategyNames.length - 3 : 5);
  });
});
