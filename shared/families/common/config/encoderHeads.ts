/** What encoders are before a class puts a head on them, and their heads for tokens. */
import type { Head, Norm, Stack } from '../../../model/architecture';
import { languageModelFacts } from '../../../model/facts';
import type { ModuleNode } from '../../../model/modules';
import { group, linear, norm, tensor, tied } from '../../../model/nodes';

/** Which family's names and layers a head has. */
export type EncoderHeads =
  | 'bert'
  | 'roberta'
  | 'roberta-head-first'
  | 'electra'
  | 'distilbert'
  | 'albert'
  | 'deberta'
  | 'mpnet'
  | 'modernbert';

/** An encoder before a class puts a head on it. */
export interface Encoder {
  readonly family: string;
  readonly base: string;
  readonly stack: Stack;
  readonly activation: string;
  readonly norm: Norm;
  readonly children: readonly (ModuleNode | null)[];
  /** Path of the token table's weight inside the base module. */
  readonly tokenTable: string;
  readonly tied: boolean;
  /** The base model's pooler, which some classes leave out. */
  readonly pooler: ModuleNode | null;
  readonly classifierDropout: number;
  /** ModernBERT's switches: the bias of the dense layer before an output, and of the product with the vocabulary. */
  readonly modernBias?: { readonly head: boolean; readonly decoder: boolean };
  /** A classifier of the whole input reads the mean of all tokens, not the first one. */
  readonly poolsByMean?: boolean;
}

/** A head as facts and as modules; whether the base keeps its pooler under it. */
export interface EncoderHead {
  readonly facts: Head;
  readonly nodes: readonly ModuleNode[];
  readonly keepsPooler: boolean;
}

/** ModernBERT's dense layer and norm before an output. */
export function modernHead({ stack, norm: normFacts, modernBias }: Encoder): ModuleNode {
  const size = stack.hiddenSize;
  return group('head', [
    linear('dense', size, size, modernBias?.head === true),
    norm('norm', size, normFacts),
  ]);
}

/** The head that predicts masked tokens, or the next one. */
export function languageModel(encoder: Encoder, heads: EncoderHeads): EncoderHead {
  const { stack, activation } = encoder;
  const { inputs, hiddenSize } = stack;
  const vocabularySize = inputs.kind === 'tokens' ? inputs.vocabularySize : 0;
  const width = inputs.kind === 'tokens' ? inputs.embeddingSize : hiddenSize;
  return {
    facts: languageModelFacts(vocabularySize, encoder.tied, {
      transform: { size: width, activation },
      objective: 'masked',
    }),
    nodes: languageModelNodes(encoder, heads, vocabularySize, width),
    keepsPooler: false,
  };
}

function languageModelNodes(
  encoder: Encoder,
  heads: EncoderHeads,
  vocabularySize: number,
  width: number,
): readonly ModuleNode[] {
  const { stack, norm: normFacts } = encoder;
  const tableName = `${encoder.base}.${encoder.tokenTable}`;
  // Where the head is not tied, the bias beside it is another tensor, too.
  const output = (name: string, ties: Readonly<Record<string, string>> = {}): ModuleNode => {
    const own = linear(name, width, vocabularySize, encoder.modernBias?.decoder ?? true);
    return encoder.tied ? tied(own, { weight: tableName, ...ties }) : own;
  };
  const ownBias = [tensor('bias', vocabularySize)];
  const dense = linear('dense', stack.hiddenSize, width, true);
  switch (heads) {
    case 'bert':
    case 'deberta':
      return [
        group('cls', [
          group(
            'predictions',
            [
              group('transform', [dense, norm('LayerNorm', width, normFacts)]),
              output('decoder', { bias: 'cls.predictions.bias' }),
            ],
            ownBias,
          ),
        ]),
      ];
    case 'roberta':
    case 'mpnet':
      return [
        group(
          'lm_head',
          [dense, norm('layer_norm', width, normFacts), output('decoder', { bias: 'lm_head.bias' })],
          ownBias,
        ),
      ];
    case 'roberta-head-first': {
      // Here the head's matrix comes first, and it is the token table that is tied to it.
      const own = linear('decoder', width, vocabularySize, true);
      const decoder = encoder.tied ? tied(own, { bias: 'lm_head.bias' }) : own;
      return [group('lm_head', [dense, norm('layer_norm', width, normFacts), decoder], ownBias)];
    }
    case 'electra':
      return [
        group('generator_predictions', [norm('LayerNorm', width, normFacts), dense]),
        output('generator_lm_head'),
      ];
    case 'albert':
      return [
        group(
          'predictions',
          [norm('LayerNorm', width, normFacts), dense, output('decoder', { bias: 'predictions.bias' })],
          ownBias,
        ),
      ];
    case 'distilbert':
      return [
        linear('vocab_transform', stack.hiddenSize, width, true),
        norm('vocab_layer_norm', width, normFacts),
        output('vocab_projector'),
      ];
    case 'modernbert':
      return [modernHead(encoder), output('decoder')];
  }
}

/** The class of the original pre-training: BERT's and ALBERT's two tasks, ELECTRA's discriminator, else the MLM. */
export function pretraining(encoder: Encoder, heads: EncoderHeads): EncoderHead {
  const size = encoder.stack.hiddenSize;
  const masked = languageModel(encoder, heads);
  switch (heads) {
    case 'bert': {
      const [cls] = masked.nodes;
      const children = [...(cls?.children ?? []), linear('seq_relationship', size, 2, true)];
      return { ...masked, nodes: [group('cls', children)], keepsPooler: true };
    }
    case 'albert':
      return {
        ...masked,
        nodes: [...masked.nodes, group('sop_classifier', [linear('classifier', size, 2, true)])],
        keepsPooler: true,
      };
    case 'electra':
      return {
        facts: {
          kind: 'classifier',
          labels: 1,
          over: 'tokens',
          transform: { size, activation: encoder.activation },
          dropout: 0,
        },
        nodes: [
          group('discriminator_predictions', [
            linear('dense', size, size, true),
            linear('dense_prediction', size, 1, true),
          ]),
        ],
        keepsPooler: false,
      };
    default:
      return masked;
  }
}
