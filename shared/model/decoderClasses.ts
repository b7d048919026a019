/** A decoder under the head of its class: language model, classifier, or none. */
import type { Architecture, Head, Stack } from './architecture';
import { baseNode, type Backbone, type HeadStyle } from './backbone';
import { classWarnings, languageModelFacts } from './facts';
import type { ModelClass } from './modelClass';
import type { ModuleNode } from './modules';
import { group, linear, tied } from './nodes';

/** `path` before the paths inside a module. */
export function placed(stack: Stack, path: string): Stack {
  return { ...stack, path: [path, stack.path].filter((part) => part !== '').join('.') };
}

/** What a reader leaves to `readModel`, which knows the whole file. */
export type ReadArchitecture = Omit<Architecture, 'modelType' | 'quantization'>;

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
    warnings: [...backbone.warnings, ...classWarnings(modelClass, head !== null)],
  };
}

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
      return classifier(base, 'score', 'input', hiddenSize, modelClass.labels, false);
    case 'token-classification': {
      // The classes made by transformers' generic mixin say `score`, the older ones `classifier`.
      const name = base === 'model' ? 'score' : 'classifier';
      return classifier(base, name, 'tokens', hiddenSize, modelClass.labels, true);
    }
    case 'question-answering': {
      const holder = base === 'model' ? 'transformer' : base;
      return classifier(holder, 'qa_outputs', 'span', hiddenSize, 2, true);
    }
    default:
      return null;
  }
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
      bias: style.bias,
      softCap: style.softCap,
      scale: style.scale,
    }),
    base,
    nodes: [isTied ? tied(output, { weight: `${base}.${table}.weight` }) : output],
  };
}
