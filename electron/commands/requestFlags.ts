/** The flags that make a request of the memory engine, for `estimate` and `plan`. */
import { message } from '../../shared/i18n/message';
import type { RequestKey } from '../../shared/memory/request';
import type { Arguments } from './arguments';
import type { Flag } from './command';

/** How a flag's text becomes the value that a request has under its key. */
type Shape = 'text' | 'number' | 'numbers' | 'names' | 'switch';

interface RequestFlag {
  readonly key: RequestKey;
  readonly shape: Shape;
  readonly flag: Flag;
}

function requestFlag(key: RequestKey, shape: Shape, placeholder: string, help: Flag['help']): RequestFlag {
  const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const flag: Flag =
    shape === 'switch' ? { kind: 'switch', name, help } : { kind: 'value', name, placeholder, help };
  return { key, shape, flag };
}

/** What an absent flag means: a value for `estimate`; for `plan`, that the planner chooses (`auto`). */
const values = {
  precision: 'amp-bf16',
  optimizer: 'adamw-fused',
  microBatch: '1',
  accumulation: '1',
  checkpointing: 'none',
  attention: 'sdpa',
  gradientSync: 'each with FSDP and ddp-bucket-view, last with ddp',
  strategy: 'single',
  world: '1',
  offload: 'none',
  schedule: '1f1b',
} as const;
type Fallbacks = Readonly<Record<keyof typeof values, string>>;
const chosen: Fallbacks = {
  precision: 'auto',
  optimizer: 'auto',
  microBatch: 'auto',
  accumulation: 'auto',
  checkpointing: 'auto',
  attention: 'auto',
  gradientSync: 'auto',
  strategy: 'auto',
  world: 'auto',
  offload: 'auto',
  schedule: 'auto',
};

const flagsWith = (fallbacks: Fallbacks): readonly RequestFlag[] => [
  requestFlag('method', 'text', 'full|lora|qlora', message('estimate.flagMethod')),
  requestFlag('loraRank', 'number', 'N', message('estimate.flagLoraRank')),
  requestFlag('loraAlpha', 'number', 'N', message('estimate.flagLoraAlpha')),
  requestFlag('loraTargets', 'names', 'all-linear|NAME,…', message('estimate.flagLoraTargets')),
  requestFlag('loraDropout', 'number', 'X', message('estimate.flagLoraDropout')),
  requestFlag('adapterDtype', 'text', 'fp32|model', message('estimate.flagAdapterDtype')),
  requestFlag('doubleQuant', 'switch', '', message('estimate.flagDoubleQuant')),
  requestFlag('precision', 'text', 'P', message('estimate.flagPrecision', { fallback: fallbacks.precision })),
  requestFlag(
    'optimizer',
    'text',
    'NAME',
    message('estimate.flagOptimizer', { fallback: fallbacks.optimizer }),
  ),
  requestFlag(
    'microBatch',
    'number',
    'N',
    message('estimate.flagMicroBatch', { fallback: fallbacks.microBatch }),
  ),
  requestFlag('seq', 'number', 'N', message('estimate.flagSeq')),
  requestFlag(
    'accumulation',
    'number',
    'N',
    message('estimate.flagAccumulation', { fallback: fallbacks.accumulation }),
  ),
  requestFlag(
    'checkpointing',
    'text',
    'KIND',
    message('estimate.flagCheckpointing', { fallback: fallbacks.checkpointing }),
  ),
  requestFlag(
    'attention',
    'text',
    'KERNEL',
    message('estimate.flagAttention', { fallback: fallbacks.attention }),
  ),
  requestFlag('card', 'text', 'NAME', message('estimate.flagCard')),
  requestFlag('gradClip', 'switch', '', message('estimate.flagGradClip')),
  requestFlag(
    'gradientSync',
    'text',
    'WHEN',
    message('estimate.flagGradientSync', { fallback: fallbacks.gradientSync }),
  ),
  requestFlag('strategy', 'text', 'NAME', message('estimate.flagStrategy', { fallback: fallbacks.strategy })),
  requestFlag('world', 'number', 'N', message('estimate.flagWorld', { fallback: fallbacks.world })),
  requestFlag('offload', 'text', 'WHAT', message('estimate.flagOffload', { fallback: fallbacks.offload })),
  requestFlag('schedule', 'text', 'NAME', message('estimate.flagSchedule', { fallback: fallbacks.schedule })),
  requestFlag('expandableSegments', 'switch', '', message('estimate.flagExpandableSegments')),
  requestFlag('cardMib', 'numbers', 'N,…', message('estimate.flagCardMib')),
  requestFlag('contextMib', 'number', 'N', message('estimate.flagContextMib')),
];

export const requestFlags = flagsWith(values);
/** The same flags as wishes that every plan must meet. */
export const wishFlags = flagsWith(chosen);

export const flagNameOf = (key: RequestKey): string =>
  requestFlags.find((candidate) => candidate.key === key)?.flag.name ?? key;

/** The flags as a request: texts that should be numbers and are not stay texts, for the reader to refuse. */
export function requestOf(args: Arguments): Readonly<Record<string, unknown>> {
  const entries = requestFlags.flatMap(({ key, shape, flag }): [string, unknown][] => {
    if (shape === 'switch') return args.has(flag.name) ? [[key, true]] : [];
    const text = args.text(flag.name);
    return text === null ? [] : [[key, valueOf(text, shape)]];
  });
  return Object.fromEntries(entries);
}

function valueOf(text: string, shape: Shape): unknown {
  switch (shape) {
    case 'number':
      return numberOrText(text);
    case 'numbers':
      return text.split(',').map(numberOrText);
    case 'names':
      return text === 'all-linear' ? text : text.split(',').map((name) => name.trim());
    case 'text':
    case 'switch':
      return text;
  }
}

function numberOrText(text: string): number | string {
  return /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : text;
}
