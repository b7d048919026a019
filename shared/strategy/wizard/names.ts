/** The names of choices in words that people know. */
import { message, type Message } from '../../i18n/message';
import { strategyNames, type Offload, type Precision, type Strategy } from '../../memory/configuration';
import type { AttentionRequest } from '../../memory/operations/attention/request';
import type { Checkpointing } from '../../memory/tape/checkpointing';
import type { OptimizerName } from '../../memory/training/optimizers';
import type { Ask } from '../ask';
import type { PlanWishes } from './answers';

export function strategyName(strategy: Strategy): Message {
  switch (strategy) {
    case 'single':
      return message('planNames.single');
    case 'dp':
      return message('planNames.dataParallel');
    case 'ddp':
      return message('planNames.ddp');
    case 'ddp-bucket-view':
      return message('planNames.ddpBucketView');
    case 'fsdp-full':
      return message('planNames.fsdpFull');
    case 'fsdp-grad-op':
      return message('planNames.fsdpGradOp');
    case 'zero1':
      return message('planNames.zero1');
    case 'zero2':
      return message('planNames.zero2');
    case 'zero3':
      return message('planNames.zero3');
    case 'tensor':
      return message('planNames.tensor');
    case 'pipeline':
      return message('planNames.pipeline');
  }
}

/** A reason with its strategy as people say it, where it names one by its flag: FSDP, not fsdp-full. */
export function inWords(why: Message, say: (text: Message) => string): Message {
  const strategy = strategyNames.find((known) => known === why.values['strategy']);
  return strategy === undefined
    ? why
    : { ...why, values: { ...why.values, strategy: shortName(strategy, say) } };
}

function shortName(strategy: Strategy, say: (text: Message) => string): string {
  switch (strategy) {
    case 'single':
      return say(message('planNames.shortSingle'));
    case 'dp':
      return 'DataParallel';
    case 'ddp':
    case 'ddp-bucket-view':
      return 'DDP';
    case 'fsdp-full':
    case 'fsdp-grad-op':
      return 'FSDP';
    case 'zero1':
      return 'ZeRO-1';
    case 'zero2':
      return 'ZeRO-2';
    case 'zero3':
      return 'ZeRO-3';
    case 'tensor':
      return say(message('planNames.shortTensor'));
    case 'pipeline':
      return say(message('planNames.shortPipeline'));
  }
}

export function methodName(method: PlanWishes['method']): Message {
  switch (method) {
    case 'full':
      return message('planNames.full');
    case 'lora':
      return message('planNames.lora');
    case 'qlora':
      return message('planNames.qlora');
  }
}

export function precisionName(precision: Precision): Message {
  switch (precision) {
    case 'fp32':
      return message('planNames.fp32');
    case 'amp-bf16':
      return message('planNames.ampBfloat16');
    case 'amp-fp16':
      return message('planNames.ampFloat16');
    case 'bf16':
      return message('planNames.bfloat16');
  }
}

export function optimizerName(optimizer: OptimizerName): Message {
  switch (optimizer) {
    case 'adamw':
      return message('planNames.adamw');
    case 'adamw-fused':
      return message('planNames.adamwFused');
    case 'adamw-loop':
      return message('planNames.adamwLoop');
    case 'sgd':
      return message('planNames.sgd');
    case 'sgd-momentum':
      return message('planNames.sgdMomentum');
    case 'adafactor':
      return message('planNames.adafactor');
    case 'adamw-8bit':
      return message('planNames.adamw8bit');
    case 'paged-adamw-8bit':
      return message('planNames.pagedAdamw8bit');
    case 'lion':
      return message('planNames.lion');
    case 'muon':
      return message('planNames.muon');
  }
}

export function checkpointingName(kind: Checkpointing['kind']): Message {
  switch (kind) {
    case 'none':
      return message('planNames.keepsActivations');
    case 'full':
      return message('planNames.checkpointing');
    case 'selective':
      return message('planNames.selective');
    case 'segments':
      return message('planNames.segments');
  }
}

export function attentionName(attention: AttentionRequest): Message {
  switch (attention) {
    case 'sdpa':
      return message('planNames.sdpa');
    case 'cudnn':
      return message('planNames.cudnn');
    case 'flash':
      return message('planNames.flash');
    case 'efficient':
      return message('planNames.efficient');
    case 'math':
      return message('planNames.math');
    case 'eager':
      return message('planNames.eager');
  }
}

export function offloadName(offload: Offload): Message {
  switch (offload) {
    case 'none':
      return message('planNames.noOffload');
    case 'optimizer':
      return message('planNames.offloadOptimizer');
    case 'all':
      return message('planNames.offloadAll');
    case 'nvme':
      return message('planNames.offloadNvme');
  }
}

export function askName(ask: Ask): Message {
  switch (ask) {
    case 'longest-seq':
      return message('planNames.longestSequence');
    case 'largest-batch':
      return message('planNames.largestBatch');
    case 'smallest-card':
      return message('planNames.smallestCard');
    case 'cheapest-change':
      return message('planNames.cheapestChange');
  }
}
