/** What tells plans of one strategy apart, in short. */
import { message, type Message } from '../../i18n/message';
import type { EstimateRequest } from '../../memory/configuration';
import type { Refusal } from '../types';
import { checkpointingName, methodName, offloadName, optimizerName, precisionName } from './names';

/** Cards, method, precision, optimizer, what happens to activations, and what is offloaded. */
export function rowChips({ offload, training, world }: EstimateRequest): readonly Message[] {
  const { checkpointing, method, optimizer, precision } = training;
  return [
    message('planSteps.cardCount', { count: world }),
    methodChip(method),
    precisionName(precision),
    optimizerName(optimizer),
    checkpointingName(checkpointing.kind),
    ...(offload === 'none' ? [] : [offloadName(offload)]),
  ];
}

/** What another training than the asked one is called by: its method, or what it keeps smaller where that is the same. */
export function insteadName({ training }: EstimateRequest, asked: Refusal['method']): readonly Message[] {
  const { method, optimizer, precision } = training;
  return method.kind === asked ? [precisionName(precision), optimizerName(optimizer)] : [methodChip(method)];
}

function methodChip(method: EstimateRequest['training']['method']): Message {
  switch (method.kind) {
    case 'full':
      return methodName('full');
    case 'lora':
      return message('planSteps.loraAnswer', { rank: method.adapters.rank });
    case 'qlora':
      return message('planSteps.qloraAnswer', { rank: method.adapters.rank });
  }
}
