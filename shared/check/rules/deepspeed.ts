import { message } from '../../i18n/message';
import type { Hit, RuleText } from '../types';

/** A rule on a DeepSpeed configuration: parsed JSON, and the text for positions. */
export interface ConfigRule extends RuleText {
  readonly hits: (config: ConfigObject, source: string) => readonly Hit[];
}

export type ConfigObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): ConfigObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** Whether a JSON object is meant for DeepSpeed. */
export function isDeepSpeed(config: ConfigObject): boolean {
  return [
    'zero_optimization',
    'train_micro_batch_size_per_gpu',
    'train_batch_size',
    'zero_allow_untested_optimizer',
  ].some((key) => key in config);
}

const offloads = ['offload_optimizer', 'offload_param'] as const;

const keyAt = (source: string, key: string): number => Math.max(0, source.indexOf(`"${key}"`));
const enabled = (config: ConfigObject, key: string): boolean => asObject(config[key])?.['enabled'] === true;

export const deepSpeedRules: readonly ConfigRule[] = [
  {
    rule: 'offload-outside-zero',
    severity: 'error',
    message: message('check.offloadOutsideZero', { key: 'offload_optimizer' }),
    why: message('check.offloadOutsideZeroWhy'),
    better:
      '"zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu", "pin_memory": true } }',
    hits: (config, source) =>
      offloads
        .filter((key) => key in config)
        .map((key) => ({ at: keyAt(source, key), message: message('check.offloadOutsideZero', { key }) })),
  },
  {
    rule: 'offload-without-stage',
    severity: 'error',
    message: message('check.offloadWithoutStage'),
    why: message('check.offloadWithoutStageWhy'),
    better: '"zero_optimization": { "stage": 3, "offload_param": { "device": "cpu" } }',
    hits: (config, source) => {
      const zero = asObject(config['zero_optimization']);
      const stage = zero?.['stage'];
      if (zero === null || typeof stage !== 'number') return [];
      const active = (key: string): boolean => String(asObject(zero[key])?.['device'] ?? 'none') !== 'none';
      return offloads
        .filter((key) => active(key) && stage < (key === 'offload_param' ? 3 : 1))
        .map((key) => ({ at: keyAt(source, key) }));
    },
  },
  {
    rule: 'fp16-and-bf16',
    severity: 'error',
    message: message('check.bothHalves'),
    why: message('check.bothHalvesWhy'),
    better: '"bf16": { "enabled": true }, "fp16": { "enabled": false }',
    hits: (config, source) =>
      enabled(config, 'fp16') && enabled(config, 'bf16') ? [{ at: keyAt(source, 'bf16') }] : [],
  },
  {
    rule: 'batch-sizes-disagree',
    severity: 'error',
    message: message('check.batchSizesDisagree'),
    why: message('check.batchSizesDisagreeWhy'),
    better:
      '"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8   // leave train_batch_size out',
    hits: (config, source) => {
      const [total, micro, steps] = [
        'train_batch_size',
        'train_micro_batch_size_per_gpu',
        'gradient_accumulation_steps',
      ].map((key) => config[key]);
      return typeof total === 'number' &&
        typeof micro === 'number' &&
        total % (micro * (typeof steps === 'number' ? steps : 1)) !== 0
        ? [{ at: keyAt(source, 'train_batch_size') }]
        : [];
    },
  },
];
