/** What simpler estimators say about the allocated peak of full fine-tuning, for comparison. */
import type { Architecture, Layer, SoftmaxAttention, Stack } from '../../shared/model/architecture';
import { parameterCount } from '../../shared/model/inventory';
import type { MeasuredRow } from './measured';

export interface Baseline {
  readonly name: string;
  /** Null where it says nothing about such a run. */
  readonly peakBytes: (architecture: Architecture, row: MeasuredRow) => number | null;
}

const weightBytes = ({ precision }: MeasuredRow): number => (precision === 'bf16' ? 2 : 4);

/** Bytes of optimizer state for each byte of weights. */
const stateShare = ({ optim = 'adamw' }: MeasuredRow): number =>
  optim.startsWith('adamw') ? 2 : optim === 'sgdm' ? 1 : 0;

/** A copy that the optimizer's step makes of all parameters. */
const stepShare = ({ optim = 'adamw' }: MeasuredRow): number => (optim === 'adamw' ? 1 : 0);

export const baselines: readonly Baseline[] = [
  {
    name: 'four times the weights',
    peakBytes: (architecture, row) => 4 * weightBytes(row) * parameterCount(architecture),
  },
  { name: '16 bytes a parameter', peakBytes: (architecture) => 16 * parameterCount(architecture) },
  { name: 'closed formulas', peakBytes: closedFormulas },
];

/**
 * Bytes a token and layer in closed form for decoders of llama's and GPT-2's kind, and the larger of two moments: the start of
 * backward, and the optimizer's step.
 */
function closedFormulas(architecture: Architecture, row: MeasuredRow): number | null {
  const [stack] = architecture.stacks;
  const { head } = architecture;
  if (stack === undefined || architecture.stacks.length !== 1 || head.kind !== 'language-model') return null;
  if (head.objective !== 'causal') return null;
  const perToken = stack.layers.map((layer) => layerBytes(layer, stack, row));
  if (perToken.includes(null)) return null;
  const tokens = row.batch * row.seq;
  const kept = perToken.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
  const residual = row.precision === 'bf16' ? 2 : 4;
  const activations =
    row.ckpt === true
      ? stack.layers.length * residual * stack.hiddenSize + Math.max(...perToken.map((bytes) => bytes ?? 0))
      : kept;
  const weights = weightBytes(row) * parameterCount(architecture);
  const copies = row.precision.startsWith('amp') && row.ckpt !== true ? weights / 2 : 0;
  const state = stateShare(row) * weights;
  const loss = 12 * head.vocabularySize;
  const startOfBackward = weights + state + copies + tokens * (activations + loss);
  const step = weights * (2 + stepShare(row)) + state;
  return Math.max(startOfBackward, step);
}

function layerBytes({ mixer, feedForward }: Layer, { hiddenSize }: Stack, row: MeasuredRow): number | null {
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp') return null;
  const scores = attentionBytes(mixer, row);
  if (feedForward.gated) {
    const perHidden = { bf16: 16, fp32: 24 }[row.precision as 'bf16' | 'fp32'] ?? 26;
    const perWidth = row.precision === 'fp32' ? 16 : 8;
    return perHidden * hiddenSize + perWidth * feedForward.width + scores;
  }
  const perHidden = { bf16: 58, fp32: 116 }[row.precision as 'bf16' | 'fp32'] ?? 86;
  return perHidden * hiddenSize + 4 * mixer.heads + (row.attn === 'eager' ? 6 * mixer.heads * row.seq : 0);
}

function attentionBytes({ heads, keyValueHeads, headDim }: SoftmaxAttention, row: MeasuredRow): number {
  const width = heads * headDim;
  if (row.attn === 'eager') return 8 * width + 6 * heads * row.seq;
  const wide = row.precision === 'fp32' ? 2 : 1;
  return wide * (4 * width + 4 * keyValueHeads * headDim) + 4 * heads;
}
