/** Encoders under the head of their class. */
import type { Head, Norm, Stack } from '../architecture';
import { placed, type ReadArchitecture } from '../decoderClasses';
import { languageModelFacts } from '../facts';
import type { ModelClass } from '../modelClass';
import type { ModuleNode } from '../modules';
import { group, linear, norm, tensor, tied, tiedInside } from '../nodes';

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

interface BuiltHead {
  readonly facts: Head;
  readonly nodes: readonly ModuleNode[];
  readonly keepsPooler: boolean;
}

/** An encoder under the head of `modelClass`, with the modules that `heads` has there. */
export function encoderModel(
  encoder: Encoder,
  modelClass: ModelClass,
  heads: EncoderHeads,
): ReadArchitecture {
  const built = headOf(encoder, modelClass, heads);
  const inBase = (keepsPooler: boolean): readonly (ModuleNode | null)[] =>
    keepsPooler ? [...encoder.children, encoder.pooler] : encoder.children;
  const common = {
    family: encoder.family,
    className: modelClass.name,
    connectors: [],
    warnings: [],
  };
  if (built === null)
    return {
      ...common,
      stacks: [encoder.stack],
      head: encoder.pooler === null ? { kind: 'none' } : { kind: 'pooler' },
      modules: group('', inBase(true)),
    };
  const plainBase = group(encoder.base, inBase(built.keepsPooler));
  const headFirst = heads === 'roberta-head-first';
  const base =
    headFirst && built.facts.kind === 'language-model' && built.facts.tied
      ? tiedInside(plainBase, encoder.tokenTable, 'lm_head.decoder.weight')
      : plainBase;
  return {
    ...common,
    stacks: [placed(encoder.stack, encoder.base)],
    head: built.facts,
    modules: group('', headFirst ? [...built.nodes, base] : [base, ...built.nodes]),
  };
}

function headOf(encoder: Encoder, modelClass: ModelClass, heads: EncoderHeads): BuiltHead | null {
  switch (modelClass.kind) {
    case 'masked-language-model':
    case 'causal-language-model':
      return languageModel(encoder, heads);
    case 'pretraining':
      return pretraining(encoder, heads);
    case 'sequence-classification':
      return inputClassifier(encoder, modelClass.labels, heads);
    case 'multiple-choice':
      return multipleChoice(encoder, heads);
    case 'token-classification':
      return simpleClassifier(encoder, heads, 'classifier', 'tokens', modelClass.labels);
    case 'question-answering':
      return simpleClassifier(encoder, heads, 'qa_outputs', 'span', modelClass.labels);
    default:
      return null;
  }
}

function simpleClassifier(
  encoder: Encoder,
  heads: EncoderHeads,
  name: string,
  over: 'tokens' | 'span',
  labels: number,
): BuiltHead {
  const { stack, classifierDropout, activation } = encoder;
  const size = stack.hiddenSize;
  const isModern = heads === 'modernbert';
  return {
    facts: {
      kind: 'classifier',
      labels,
      over,
      transform: isModern ? { size, activation } : null,
      // Of those who look for an answer only these two drop anything.
      dropout: over === 'tokens' || isModern || heads === 'distilbert' ? classifierDropout : 0,
    },
    nodes: isModern
      ? [modernHead(encoder), linear('classifier', size, labels, true)]
      : [linear(name, size, labels, true)],
    keepsPooler: false,
  };
}

/** Classifies the whole input: over the pooled first token, or with a dense layer of the head's own. */
function inputClassifier(encoder: Encoder, labels: number, heads: EncoderHeads): BuiltHead {
  const { stack, activation, classifierDropout } = encoder;
  const size = stack.hiddenSize;
  const facts = (transform: { size: number; activation: string } | null): Head => ({
    kind: 'classifier',
    labels,
    over: encoder.poolsByMean === true ? 'mean' : 'input',
    transform,
    dropout: classifierDropout,
  });
  const last = linear('classifier', size, labels, true);
  const own = { keepsPooler: false };
  switch (heads) {
    case 'bert':
    case 'albert':
      return { facts: facts(null), nodes: [last], keepsPooler: true };
    case 'roberta':
    case 'roberta-head-first':
    case 'electra':
    case 'mpnet':
      return {
        facts: facts({ size, activation: 'tanh' }),
        nodes: [
          group('classifier', [linear('dense', size, size, true), linear('out_proj', size, labels, true)]),
        ],
        ...own,
      };
    case 'distilbert':
      return {
        facts: facts({ size, activation: 'relu' }),
        nodes: [linear('pre_classifier', size, size, true), last],
        ...own,
      };
    case 'deberta':
      return {
        facts: facts({ size, activation }),
        nodes: [group('pooler', [linear('dense', size, size, true)]), last],
        ...own,
      };
    case 'modernbert':
      return { facts: facts({ size, activation }), nodes: [modernHead(encoder), last], ...own };
  }
}

/** One score for each choice: as BERT classifies, or with the family's own layer before. */
function multipleChoice(encoder: Encoder, heads: EncoderHeads): BuiltHead {
  const { stack, classifierDropout } = encoder;
  switch (heads) {
    case 'bert':
    case 'albert':
    case 'distilbert':
    case 'deberta':
    case 'modernbert':
      return inputClassifier(encoder, 1, heads);
    case 'roberta':
    case 'roberta-head-first':
    case 'mpnet':
      return inputClassifier(encoder, 1, 'bert');
    case 'electra': {
      const size = stack.hiddenSize;
      return {
        facts: {
          kind: 'classifier',
          labels: 1,
          over: 'input',
          transform: { size, activation: 'gelu' },
          dropout: classifierDropout,
        },
        nodes: [
          group('sequence_summary', [linear('summary', size, size, true)]),
          linear('classifier', size, 1, true),
        ],
        keepsPooler: false,
      };
    }
  }
}

function modernHead({ stack, norm: normFacts, modernBias }: Encoder): ModuleNode {
  const size = stack.hiddenSize;
  return group('head', [
    linear('dense', size, size, modernBias?.head === true),
    norm('norm', size, normFacts),
  ]);
}

function languageModel(encoder: Encoder, heads: EncoderHeads): BuiltHead {
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
function pretraining(encoder: Encoder, heads: EncoderHeads): BuiltHead {
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
