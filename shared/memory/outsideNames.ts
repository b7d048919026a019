/** Names that people bring from other programs for what is called otherwise here. */
import type { Precision } from './configuration';
import type { AttentionRequest } from './operations/attention/request';
import type { OptimizerName } from './training/optimizers';

type Names<Choice extends string> = Readonly<Record<string, Choice>>;

/** `optim` of transformers' TrainingArguments. https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/training_args.py */
const optimizers: Names<OptimizerName> = {
  adamw_torch: 'adamw',
  adamw_torch_fused: 'adamw-fused',
  adamw_hf: 'adamw-loop',
  adamw_8bit: 'adamw-8bit',
  adamw_bnb_8bit: 'adamw-8bit',
  paged_adamw_8bit: 'paged-adamw-8bit',
  lion_32bit: 'lion',
};

/** `fp16=True` of the Trainer, and the names of Lightning and litgpt. */
const precisions: Names<Precision> = {
  fp16: 'amp-fp16',
  '16-mixed': 'amp-fp16',
  'bf16-mixed': 'amp-bf16',
  'bf16-true': 'bf16',
  bfloat16: 'bf16',
  '32-true': 'fp32',
  float32: 'fp32',
};

/** `attn_implementation`. */
const attentions: Names<AttentionRequest> = { flash_attention_2: 'flash', fa2: 'flash' };

const byKey: Readonly<Record<string, Names<string>>> = {
  optimizer: optimizers,
  precision: precisions,
  attention: attentions,
};

/** What a name for a key is called here; null where it is no such name. */
export function ownName(key: string, name: string): string | null {
  const names = byKey[key] ?? {};
  const plain = name.toLowerCase();
  return Object.hasOwn(names, plain) ? (names[plain] ?? null) : null;
}

/** Memory of a card in MiB where its name says so itself (`A100-SXM4-80GB`). */
export function memoryInName(name: string): number | null {
  const gigabytes = /(?<!\d)(\d{1,3})\s*Gi?B?(?![a-z0-9])/i.exec(name)?.[1];
  return gigabytes === undefined ? null : Number(gigabytes) * 1024;
}
