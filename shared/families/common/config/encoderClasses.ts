/** Encoders under the head of their class. */
import type { Head } from '../../../model/architecture';
import { type ReadArchitecture, placed } from '../../../model/decoderClasses';
import type { ModelClass } from '../../../model/modelClass';
import type { ModuleNode } from '../../../model/modules';
import { group, linear, tiedInside } from '../../../model/nodes';
import {
  type EncoderHead,
  type Encoder,
  type EncoderHeads,
  languageModel,
  modernHead,
  pretraining,
} from './encoderHeads';

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

function headOf(encoder: Encoder, modelClass: ModelClass, heads: EncoderHeads): EncoderHead | null {
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
): EncoderHead {
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
function inputClassifier(encoder: Encoder, labels: number, heads: EncoderHeads): EncoderHead {
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
function multipleChoice(encoder: Encoder, heads: EncoderHeads): EncoderHead {
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
