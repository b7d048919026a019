/**
 * Which forward plays which architecture.
 *
 * How a family is added:
 * 1. `families/NAME.ts` exports `nameLoss(forward)`, written in the order of transformers' modeling file, with the operations of
 *    `operations/` and the parts of `families/parts/`. Sizes come from the Architecture's layers, weights from the module tree
 *    (`module.child('q_proj')`); biases and adapters are found by the operations themselves.
 * 2. Ownership follows Python (see `tape/tape.ts`): what a line names is `hold`-ed, what a nested expression makes is not; a name
 *    that is rebound is `last(x)` where it is used or `release(x)` after the call that used it, because a call holds its arguments
 *    until it returns. Every `nn.Module.forward` is a `tape.call(module.place, [inputs], …)`, every plain function with locals a
 *    `tape.frame`.
 * 3. Blocks run through `runBlocks`, or `runBlock` where the loop is another; both know about checkpointing, and their bodies must use the
 *    tensors that they are handed.
 * 4. What the code takes for granted of a model is asked for by `parts/expected.ts` and by the modules' names: where it is not so,
 *    `MissingPart` leaves the model to `anyModel.ts`. Unknown numbers are never filled in.
 * 5. Register it below, then compare: `npm run accuracy -- traces MODEL --show` prints the first place where allocations or frees
 *    differ from a recorded step, `npm run accuracy -- rows MODEL` the measured peaks.
 */
import type { Architecture, Stack } from '../../model/architecture';
import type { ModuleNode } from '../../model/modules';
import type { FamilyForward } from './context';
import { albertLoss } from './albert';
import { anyModelLoss } from './anyModel';
import { bartLoss, isBartCode } from './bart';
import { beitLoss } from './beit';
import { bertLoss } from './bert';
import { bloomLoss } from './bloom';
import { clipLoss } from './clip';
import { falconLoss } from './falcon';
import { debertaLoss } from './deberta';
import { debertaV2Loss } from './debertaV2';
import { distilbertLoss } from './distilbert';
import { dinov2Loss } from './dinov2';
import { electraLoss } from './electra';
import { gpt2Loss } from './gpt2';
import { gptBigCodeLoss } from './gptBigCode';
import { gptJLoss } from './gptJ';
import { gptNeoLoss } from './gptNeo';
import { gptNeoxLoss, persimmonLoss } from './gptNeox';
import { llamaLike } from './llama';
import { modernbertLoss } from './modernbert';
import { mpnetLoss } from './mpnet';
import { mptLoss } from './mpt';
import { optLoss } from './opt';
import { robertaLoss } from './roberta';
import { siglipLoss } from './siglip';
import { suits } from './suits';
import { swinLoss } from './swin';
import { t5Loss } from './t5';
import { vitLoss } from './vit';
import { whisperLoss } from './whisper';

const forwards: Readonly<Record<string, FamilyForward>> = {
  gpt2: gpt2Loss,
  ...llamaLike,
  bloom: bloomLoss,
  falcon: falconLoss,
  mpt: mptLoss,
  gpt_bigcode: gptBigCodeLoss,
  gpt_neo: gptNeoLoss,
  gpt_neox: gptNeoxLoss,
  gptj: gptJLoss,
  persimmon: persimmonLoss,
  opt: optLoss,
  bert: bertLoss,
  roberta: robertaLoss,
  electra: electraLoss,
  distilbert: distilbertLoss,
  deberta: (forward) =>
    forward.architecture.modelType === 'deberta' ? debertaLoss(forward) : debertaV2Loss(forward),
  albert: albertLoss,
  mpnet: mpnetLoss,
  modernbert: modernbertLoss,
  bart: bartLoss,
  t5: t5Loss,
  vit: vitLoss,
  dinov2: dinov2Loss,
  beit: beitLoss,
  swin: swinLoss,
  whisper: whisperLoss,
  clip: clipLoss,
  siglip: siglipLoss,
};

/** The forward of a family, or null where none is written yet. */
export function forwardOf(family: string): FamilyForward | null {
  return Object.hasOwn(forwards, family) ? (forwards[family] ?? null) : null;
}

/** How a model is played: by its family's own code, or by its facts and shapes alone where there is none. */
export interface ChosenForward {
  readonly forward: FamilyForward;
  readonly ownCode: boolean;
  /** False where the code has parts, such as a router, of which no step was recorded. */
  readonly isTraced: boolean;
}

/**
 * Families and model types whose code was followed without a recorded step of a part of it: routers, Apertus' activation, Hunyuan's norms behind
 * the rotation, UMT5's tables of each layer.
 */
const UNTRACED: ReadonlySet<string> = new Set([
  'apertus',
  'cohere2_moe',
  'ernie4_5_moe',
  'granitemoeshared',
  'hunyuan_v1_dense',
  'hunyuan_v1_moe',
  'minimax_m2',
  'umt5',
]);

/** Whether steps of this model's kind were recorded: Falcon's were with rotary positions, DeBERTa's without a convolution. */
function isTraced({ family, modelType, modules, stacks }: Architecture): boolean {
  if (UNTRACED.has(family) || UNTRACED.has(modelType ?? '')) return false;
  if (family === 'falcon') return stacks.every(({ positions }) => positions.kind === 'rope');
  return family !== 'deberta' || !hasConvolution(modules);
}

const hasConvolution = ({ children, kind }: ModuleNode): boolean =>
  kind === 'convolution' || children.some(hasConvolution);

type Facts = Pick<Architecture, 'head' | 'modelType' | 'stacks'>;

const isMasked = ({ head }: Facts): boolean => head.kind === 'language-model' && head.transform !== null;

/** Encoders are trained with their masked-language-model head or with a classifier. */
const isTrainedEncoder = (facts: Facts): boolean => isMasked(facts) || facts.head.kind === 'classifier';

const hasPlainMlps = ({ layers }: Stack): boolean =>
  layers.every(({ feedForward }) => feedForward.kind === 'mlp' && !feedForward.gated);

/** Families whose own code plays some classes or model types only: the others are played by their facts. */
const playsClass: Readonly<Partial<Record<string, (facts: Facts) => boolean>>> = {
  bert: isTrainedEncoder,
  roberta: isTrainedEncoder,
  electra: isTrainedEncoder,
  distilbert: isTrainedEncoder,
  deberta: isTrainedEncoder,
  albert: isTrainedEncoder,
  mpnet: isTrainedEncoder,
  modernbert: isTrainedEncoder,
  bart: ({ head, modelType }) =>
    head.kind === 'language-model' && head.objective === 'sequence-to-sequence' && isBartCode(modelType),
  t5: ({ head }) => head.kind === 'language-model',
  vit: ({ head }) => head.kind === 'classifier',
  beit: ({ head }) => head.kind === 'classifier',
  whisper: ({ head, stacks }) => head.kind === 'language-model' && stacks.length === 2,
  swin: ({ head }) => head.kind === 'classifier',
  clip: ({ head }) => head.kind === 'contrastive',
  siglip: ({ head, modelType }) => head.kind === 'contrastive' && modelType === 'siglip',
  dinov2: ({ head, modelType, stacks }) =>
    head.kind === 'classifier' && modelType === 'dinov2' && stacks.every(hasPlainMlps),
};

/**
 * The forward for any model, and how far it was compared with recorded steps: the family's own code where it plays the class and suits the
 * model, else the one that plays any by its facts. Never null.
 */
export function forwardFor(architecture: Architecture): ChosenForward {
  const { family } = architecture;
  const own = forwardOf(family);
  return own !== null && playsClass[family]?.(architecture) !== false && suits(own, architecture)
    ? { forward: own, ownCode: true, isTraced: isTraced(architecture) }
    : { forward: anyModelLoss, ownCode: false, isTraced: false };
}
