/** The names of what a step's memory is for, when, and where. */
import { message, type Message } from '../../i18n/message';
import type { CardEstimate } from '../cardEstimate';
import type { Checkpointing } from '../tape/checkpointing';
import type { MemoryKind } from '../tape/log';
import type { Phase } from '../tape/marks';
import { type StepLocation, placeOf, type PlacePart, type TowerLocation } from './place';

/** Turns a Message into words: the edge gives its own. */
export type Say = (text: Message) => string;

const kindMessages = {
  parameters: message('estimate.kindParameters'),
  gradients: message('estimate.kindGradients'),
  optimizer: message('estimate.kindOptimizer'),
  activations: message('estimate.kindActivations'),
  logits: message('estimate.kindLogits'),
  buffers: message('estimate.kindBuffers'),
  workspace: message('estimate.kindWorkspace'),
} as const satisfies Record<MemoryKind, Message>;

/** What memory is for, in words. */
export const kindMessage = (kind: MemoryKind): Message => kindMessages[kind];

const phaseMessages = {
  forward: message('planStep.phaseForward'),
  backward: message('planStep.phaseBackward'),
  clip: message('planStep.phaseClip'),
  optimizer: message('planStep.phaseOptimizer'),
  zero_grad: message('planStep.phaseZeroGrad'),
} as const satisfies Record<Phase, Message>;

/** A phase of a step in words. */
export const phaseMessage = (phase: Phase): Message => phaseMessages[phase];

const partMessages = {
  loss: message('planStep.partLoss'),
  'output-layer': message('planStep.partOutputLayer'),
  classifier: message('planStep.partClassifier'),
  'token-embedding': message('planStep.partTokenEmbedding'),
  'position-embedding': message('planStep.partPositionEmbedding'),
  'patch-embedding': message('planStep.partPatchEmbedding'),
  connector: message('planStep.partConnector'),
  attention: message('planStep.partAttention'),
  'cross-attention': message('planStep.partCrossAttention'),
  mixer: message('planStep.partMixer'),
  router: message('planStep.partRouter'),
  experts: message('planStep.partExperts'),
  'feed-forward': message('planStep.partFeedForward'),
  norm: message('planStep.partNorm'),
  block: message('planStep.partBlock'),
  model: message('planStep.partModel'),
  gather: message('planStep.partGather'),
  reduce: message('planStep.partReduce'),
  replicas: message('planStep.partReplicas'),
  'summed-gradients': message('planStep.partSummedGradients'),
  received: message('planStep.partReceived'),
  clipping: message('planStep.phaseClip'),
  optimizer: message('planStep.phaseOptimizer'),
  unknown: message('planStep.partUnknown'),
} as const satisfies Record<PlacePart, Message>;

const towers = {
  vision: message('planStep.towerVision'),
  audio: message('planStep.towerAudio'),
  encoder: message('planStep.towerEncoder'),
  decoder: message('planStep.towerDecoder'),
} as const satisfies Record<TowerLocation, Message>;

/** A place as words: `attention, layer 13`. Layers are counted from 0, as in the module's path. */
function placeWords({ layer, part, tower }: StepLocation, say: Say): string {
  const towerName = tower === null ? null : say(towers[tower]);
  if (part === 'block' && layer !== null)
    return say(
      towerName === null
        ? message('planStep.wholeLayer', { layer })
        : message('planStep.wholeLayerOf', { layer, tower: towerName }),
    );
  const name = say(partMessages[part]);
  if (layer === null)
    return towerName === null ? name : say(message('planStep.partOf', { part: name, tower: towerName }));
  return say(
    towerName === null
      ? message('planStep.partInLayer', { part: name, layer })
      : message('planStep.partInLayerOf', { part: name, layer, tower: towerName }),
  );
}

const noPlaces: ReadonlySet<PlacePart> = new Set<PlacePart>(['clipping', 'optimizer', 'unknown']);

/** Where and when, in a few words: `logits of the loss, backward`. A step of its own, like clipping, is both at once. */
export function momentWords({ at, phase }: { readonly at: string; readonly phase: Phase }, say: Say): string {
  const place = placeOf(at);
  const when = say(phaseMessage(phase));
  // Clipping and the optimizer are no places but steps; what frees memory after them has no place of its own.
  if (phase === 'zero_grad' || noPlaces.has(place.part)) return when;
  return say(message('planStep.moment', { place: placeWords(place, say), phase: when }));
}

/** Why most is allocated at this moment, in one sentence. */
export function peakReason(
  { at, phase }: Pick<CardEstimate['peak'], 'at' | 'phase'>,
  checkpointing: Checkpointing['kind'],
): Message {
  const place = placeOf(at);
  const { part } = place;
  if (part === 'gather') return message('planStep.whyGather');
  if (part === 'reduce') return message('planStep.whyReduce');
  if (part === 'replicas') return message('planStep.whyReplicas');
  if (part === 'summed-gradients') return message('planStep.whySummedGradients');
  switch (phase) {
    case 'forward':
      return forwardReason(place, checkpointing);
    case 'backward':
      return backwardReason(place, checkpointing);
    case 'clip':
      return message('planStep.whyClip');
    case 'optimizer':
      return message('planStep.whyOptimizer');
    case 'zero_grad':
      return message('planStep.whyOther');
  }
}

function forwardReason({ layer, part }: StepLocation, checkpointing: Checkpointing['kind']): Message {
  if (part === 'loss') return message('planStep.whyLossForward');
  if (part === 'output-layer') return message('planStep.whyOutputForward');
  if (layer === null) return message('planStep.whyOther');
  return checkpointing === 'none'
    ? message('planStep.whyLayerForward')
    : message('planStep.whyLayerForwardCheckpointed');
}

function backwardReason({ layer, part }: StepLocation, checkpointing: Checkpointing['kind']): Message {
  if (part === 'loss') return message('planStep.whyLossBackward');
  if (part === 'output-layer') return message('planStep.whyOutputBackward');
  if (part === 'token-embedding') return message('planStep.whyEmbeddingBackward');
  if (layer === null) return message('planStep.whyOther');
  return checkpointing === 'none'
    ? message('planStep.whyLayerBackward')
    : message('planStep.whyLayerRecomputed');
}
