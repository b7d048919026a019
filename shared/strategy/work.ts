/** The work of one sample: operations of products, and bytes that everything else moves through the card's memory. */
import { framesOf, patchesOf } from '../memory/inputLengths';
import type { Architecture, FeedForward, Layer, MixtureOfExperts, Stack } from '../model/architecture';
import { type ParameterTensor, parameterTensors } from '../model/inventory';

export interface SampleWork {
  /** Operations of the forward's products with weights. */
  readonly weightOperations: number;
  /** Operations of the forward's attention: scores and values. */
  readonly attentionOperations: number;
  /** Elements that a forward keeps for backward, without scores. */
  readonly keptElements: number;
  /** Elements of attention scores, which only some kernels write to memory. */
  readonly scoreElements: number;
  readonly logitElements: number;
  /** Elements of the hidden states between two layers. */
  readonly hiddenElements: number;
  readonly layers: number;
  /** Elements of all parameters. */
  readonly parameters: number;
}

/** Two operations, a product and a sum, for each weight and token. */
const operationsPerWeight = 2;

/** Work of a sample of `sequence` tokens (ignored by image models). */
export function workOf(architecture: Architecture, sequence: number): SampleWork {
  const tensors = parameterTensors(architecture);
  const { head, stacks } = architecture;
  const last = stacks[stacks.length - 1];
  const tokensAfter = last === undefined ? sequence : tokensOf(last, sequence);
  let weightOperations = 0;
  for (const tensor of tensors) {
    const stack = stacks.find(({ path }) => tensor.name.startsWith(`${path}.`));
    const tokens = stack === undefined ? tokensAfter : tokensOf(stack, sequence);
    weightOperations += operationsPerWeight * activeElements(architecture, tensor) * tokens;
  }
  const layers = stacks.flatMap((stack) => stack.layers.map((layer) => ({ layer, stack })));
  const sum = (of: (layer: Layer, stack: Stack, tokens: number) => number): number =>
    layers.reduce((total, { layer, stack }) => total + of(layer, stack, tokensOf(stack, sequence)), 0);
  return {
    weightOperations,
    attentionOperations: sum((layer, _, tokens) => attentionOperations(layer, tokens)),
    keptElements: sum((layer, { hiddenSize }, tokens) => tokens * keptPerToken(layer, hiddenSize)),
    scoreElements: sum(({ mixer }, _, tokens) =>
      mixer.kind === 'attention' ? mixer.heads * tokens ** 2 : 0,
    ),
    logitElements: head.kind === 'language-model' ? head.vocabularySize * tokensAfter : 0,
    hiddenElements: last === undefined ? 0 : tokensAfter * last.hiddenSize,
    layers: layers.length,
    parameters: tensors.reduce((total, { elements, tiedTo }) => total + (tiedTo === null ? elements : 0), 0),
  };
}

/** Weights of products that a token meets; of stacked experts only the chosen ones, of an embedding none. */
function activeElements({ stacks }: Architecture, { elements, module, shape }: ParameterTensor): number {
  if (shape.length < 2 || module === 'embedding') return 0;
  if (module !== 'expert') return elements;
  const experts = stacks
    .flatMap(({ layers }) => layers)
    .find(({ feedForward }) => feedForward.kind === 'experts');
  if (experts?.feedForward.kind !== 'experts') return elements;
  return (elements * expertsPerToken(experts.feedForward)) / experts.feedForward.experts;
}

/** All of them where the file does not say, which no plan gets past the engine's checks. */
const expertsPerToken = (facts: MixtureOfExperts): number => facts.expertsPerToken ?? facts.experts;

/** Tokens of one sample in a stack: patches and frames follow from the model. */
function tokensOf({ inputs }: Stack, sequence: number): number {
  switch (inputs.kind) {
    case 'tokens':
      return sequence;
    case 'patches':
      return patchesOf(inputs) + inputs.extraTokens;
    case 'audio':
      return framesOf(inputs);
  }
}

/** Scores and values: two products of tokens by tokens a head; a causal kernel does half of them. */
function attentionOperations({ mixer }: Layer, tokens: number): number {
  if (mixer.kind === 'attention') {
    const { causal, headDim, heads, valueHeadDim, window } = mixer;
    const seen = Math.min(tokens, window ?? tokens);
    return (
      operationsPerWeight *
      heads *
      (headDim + valueHeadDim) *
      tokens *
      seen *
      (causal && window === null ? 0.5 : 1)
    );
  }
  if (mixer.kind !== 'latent') return 0;
  const { heads, plainHeadDim, rotaryHeadDim, valueHeadDim } = mixer;
  return heads * (plainHeadDim + rotaryHeadDim + valueHeadDim) * tokens ** 2;
}

/** As memory-model.md counts a llama block in bf16, in elements of two bytes: 8h + 4f + 2ad + 2kvd. */
function keptPerToken({ feedForward, mixer }: Layer, hiddenSize: number): number {
  const heads =
    mixer.kind === 'attention' ? 2 * (mixer.heads + mixer.keyValueHeads) * mixer.headDim : 4 * hiddenSize;
  return 8 * hiddenSize + 4 * widthOf(feedForward) + heads;
}

function widthOf(feedForward: FeedForward): number {
  switch (feedForward.kind) {
    case 'mlp':
      return feedForward.width;
    case 'experts':
      return (
        expertsPerToken(feedForward) * feedForward.expertWidth +
        (feedForward.shared?.mlp.width ?? 0) +
        (feedForward.dense?.width ?? 0)
      );
    case 'none':
    case 'other':
      return 0;
  }
}
