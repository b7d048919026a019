/** A decoder under the head of its class: language model, classifier, or none. */
import type { Architecture, Head, Stack } from './architecture';
import { baseNode, type Backbone, type HeadStyle } from './backbone';
import { languageModelFacts } from './facts';
import type { ModelClass } from './modelClass';
import type { ModuleNode } from './modules';
import { group, linear, tied } from './nodes';

/** `path` before the paths inside a module. */
export function placed(stack: Stack, path: string): Stack {
  return { ...stack, path: [path, stack.path].filter((part) => part !== '').join('.') };
}

/** What a reader leaves to `readModel`, which knows the whole file. */
export type ReadArchitecture = Omit<Architecture, 'modelType'>;

/** A decoder under the head of `modelClass`; where that class adds nothing that is known, the base model alone. */
export function decoderModel(backbone: Backbone, modelClass: ModelClass): ReadArchitecture {
  const head = headOf(backbone, modelClass);
  return {
    family: backbone.family,
    className: modelClass.name,
    stacks: [placed(backbone.stack, head?.base ?? '')],
    connectors: [],
    head: head?.facts ?? { kind: 'none' },
    modules:
      head === null ? baseNode(backbone, '') : group('', [baseNode(backbone, head.base), ...head.nodes]),
    warnings: backbone.warnings,
  };
}

/** A head as facts and as modules. */
export interface BuiltHead {
  readonly facts: Head;
  /** Attribute that holds the base module in this class. */
  readonly base: string;
  readonly nodes: readonly ModuleNode[];
}

function headOf(backbone: Backbone, modelClass: ModelClass): BuiltHead | null {
  const { base } = backbone.head;
  const { hiddenSize } = backbone.stack;
  switch (modelClass.kind) {
    case 'causal-language-model':
    case 'conditional-generation':
    case 'pretraining':
    case 'masked-language-model':
      return languageModelHead(backbone, base);
    case 'sequence-classification':
      return scoreHead(base, hiddenSize, modelClass.kind, modelClass.labels);
    case 'token-classification':
      // The classes made by transformers' generic mixin say `score`, the older ones `classifier`.
      return base === 'model'
        ? scoreHead(base, hiddenSize, modelClass.kind, modelClass.labels)
        : classifier(base, 'classifier', 'tokens', hiddenSize, modelClass.labels, true);
    case 'question-answering': {
      const holder = base === 'model' ? 'transformer' : base;
      return classifier(holder, 'qa_outputs', 'span', hiddenSize, 2, true);
    }
    default:
      return null;
  }
}

/**
 * The classifiers of transformers' generic mixins: one linear layer `score` over the last hidden state, with bias for tokens.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/modeling_layers.py
 */
export function scoreHead(
  base: string,
  hiddenSize: number,
  kind: 'sequence-classification' | 'token-classification',
  labels: number,
): BuiltHead {
  return kind === 'sequence-classification'
    ? classifier(base, 'score', 'input', hiddenSize, labels, false)
    : classifier(base, 'score', 'tokens', hiddenSize, labels, true);
}

function classifier(
  base: string,
  name: string,
  over: 'input' | 'tokens' | 'span',
  hiddenSize: number,
  labels: number,
  bias: boolean,
): BuiltHead {
  return {
    facts: { kind: 'classifier', labels, over, transform: null, dropout: 0 },
    base,
    nodes: [linear(name, hiddenSize, labels, bias)],
  };
}

/** The product with the vocabulary, tied to the token table where the family or the file says so. */
export function languageModelHead(
  backbone: Backbone,
  base: string,
  style: HeadStyle = backbone.head,
): BuiltHead {
  const { inputs, hiddenSize } = backbone.stack;
  const vocabularySize = inputs.kind === 'tokens' ? inputs.vocabularySize : 0;
  const width = inputs.kind === 'tokens' ? inputs.embeddingSize : hiddenSize;
  const output = linear(style.name, width, vocabularySize, style.bias);
  const table = backbone.tokenTable;
  const isTied = style.tied && table !== null;
  return {
    facts: languageModelFacts(vocabularySize, isTied, {
      softCap: style.softCap,
      scale: style.scale,
    }),
    base,
    nodes: [isTied ? tied(output, { weight: `${base}.${table}.weight` }) : output],
  };
}
