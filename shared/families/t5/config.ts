/** T5 and its kin (mT5, UMT5, Flan): no biases, RMS norms, a table of relative distances in the first layer of a stack. */
import type { Head, Layer, Norm, Stack } from '../../model/architecture';
import { attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { type ReadArchitecture, placed } from '../../model/decoderClasses';
import { languageModelFacts, tokenInputs } from '../../model/facts';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import { block, embedding, group, linear, list, norm, tied } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';

interface T5Facts {
  readonly hiddenSize: number;
  readonly buckets: number;
  readonly norm: Norm;
  readonly layer: (isDecoder: boolean) => Layer;
  /** UMT5 has a table in every layer, T5 in the first one only. */
  readonly tableEverywhere: boolean;
}

const t5Attention = { ...llamaAttention, query: 'q', key: 'k', value: 'v', output: 'o' };

function factsOf(fields: ConfigFields): T5Facts {
  const hiddenSize = fields.size('hidden_size');
  const dropout = fields.number('dropout_rate', 0.1);
  const attention = softmaxAttention(fields, hiddenSize, {
    headDim: fields.size('d_kv'),
    dropout,
    causal: false,
  });
  // "gated-gelu" means two products and the tanh form of GELU; "relu" one product.
  const projection = fields.text('feed_forward_proj', 'relu');
  const gated = fields.flag('is_gated_act', projection.startsWith('gated-'));
  const name = projection.replace('gated-', '');
  const mlp = gatedMlp(fields, { gated, activation: gated && name === 'gelu' ? 'gelu_new' : name });
  const layer = (isDecoder: boolean): Layer => ({
    mixer: { ...attention, causal: isDecoder },
    cross: isDecoder ? attention : null,
    feedForward: mlp,
    norm: rmsNorm,
    placement: 'pre',
    norms: isDecoder ? 3 : 2,
  });
  return {
    hiddenSize,
    buckets: fields.sizeOr('relative_attention_num_buckets', 32),
    norm: rmsNorm,
    layer,
    tableEverywhere: fields.text('model_type', 't5') === 'umt5',
  };
}

function t5Block(layer: Layer, facts: T5Facts, hasTable: boolean): ModuleNode {
  const { attention: mixer, mlp: feedForward } = ordinaryParts(layer);
  const { cross } = layer;
  const { hiddenSize } = facts;
  const self = attentionNode(mixer, hiddenSize, { ...t5Attention, module: 'SelfAttention' });
  const table = embedding('relative_attention_bias', facts.buckets, mixer.heads);
  const names = { ...llamaMlp, module: 'DenseReluDense', gate: 'wi_0', down: 'wo' };
  const parts = [
    hasTable ? { ...self, children: [...self.children, table] } : self,
    cross === null ? null : attentionNode(cross, hiddenSize, { ...t5Attention, module: 'EncDecAttention' }),
    mlpNode(feedForward, hiddenSize, { ...names, up: feedForward.gated ? 'wi_1' : 'wi' }),
  ].filter((part) => part !== null);
  return block([
    list(
      'layer',
      parts.map((part) => group('', [part, norm('layer_norm', hiddenSize, facts.norm)])),
    ),
  ]);
}

/** A stack; its token table is the shared one. */
function t5Stack(
  fields: ConfigFields,
  facts: T5Facts,
  isDecoder: boolean,
  table: string,
): { stack: Stack; node: ModuleNode } {
  const layerCount =
    isDecoder && fields.has('num_decoder_layers') ? fields.layers('num_decoder_layers') : fields.layers();
  const path = isDecoder ? 'decoder' : 'encoder';
  const vocabularySize = fields.size('vocab_size');
  const layer = facts.layer(isDecoder);
  const first = t5Block(layer, facts, true);
  const later = t5Block(layer, facts, facts.tableEverywhere);
  const dropout = fields.number('dropout_rate', 0.1);
  return {
    stack: {
      role: isDecoder ? 'decoder' : 'encoder',
      path,
      hiddenSize: facts.hiddenSize,
      inputs: tokenInputs(vocabularySize, facts.hiddenSize, {}),
      positions: { kind: 'relative-bias' },
      layers: Array.from({ length: layerCount }, () => layer),
      finalNorm: facts.norm,
      maxPositions: null,
      dropout: { embedding: dropout, residual: dropout, activation: dropout, layer: 0 },
    },
    node: group(path, [
      tied(embedding('embed_tokens', vocabularySize, facts.hiddenSize), { weight: table }),
      list(
        'block',
        Array.from({ length: layerCount }, (_, index) => (index === 0 ? first : later)),
      ),
      norm('final_layer_norm', facts.hiddenSize, facts.norm),
    ]),
  };
}

/** T5, mT5 and UMT5, with the decoder unless the class is the encoder or classifies tokens. */
export function readT5(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const facts = factsOf(fields);
  const head = t5Head(fields, facts, modelClass);
  // The classifier over the whole input and the one over tokens hold the model as `transformer`.
  const path = head.base;
  const table = path === '' ? 'shared.weight' : `${path}.shared.weight`;
  const encoder = t5Stack(fields, facts, false, table);
  const decoder = head.hasDecoder ? t5Stack(fields, facts, true, table) : null;
  const children = [
    embedding('shared', fields.size('vocab_size'), facts.hiddenSize),
    encoder.node,
    decoder?.node ?? null,
  ];
  return {
    family: 't5',
    className: modelClass.name,
    connectors: [],
    stacks: [encoder.stack, ...(decoder === null ? [] : [decoder.stack])].map((stack) => placed(stack, path)),
    head: head.facts,
    modules: group('', path === '' ? [...children, ...head.nodes] : [group(path, children), ...head.nodes]),
    warnings: [],
  };
}

interface T5Head {
  readonly facts: Head;
  readonly nodes: readonly ModuleNode[];
  readonly base: '' | 'transformer';
  readonly hasDecoder: boolean;
}

function t5Head(fields: ConfigFields, facts: T5Facts, modelClass: ModelClass): T5Head {
  const { hiddenSize } = facts;
  const { labels } = modelClass;
  switch (modelClass.kind) {
    case 'conditional-generation':
    case 'causal-language-model':
    case 'pretraining': {
      const vocabularySize = fields.size('vocab_size');
      const isTied = fields.flag('tie_word_embeddings', true);
      const output = linear('lm_head', hiddenSize, vocabularySize);
      return {
        facts: languageModelFacts(vocabularySize, isTied, {
          scale: isTied && fields.text('model_type', 't5') !== 'mt5' ? hiddenSize ** -0.5 : null,
          objective: 'sequence-to-sequence',
        }),
        nodes: [isTied ? tied(output, { weight: 'shared.weight' }) : output],
        base: '',
        hasDecoder: true,
      };
    }
    case 'sequence-classification':
      return {
        facts: t5Classifier(labels, 'input', { size: hiddenSize, activation: 'tanh' }),
        nodes: [
          group('classification_head', [
            linear('dense', hiddenSize, hiddenSize, true),
            linear('out_proj', hiddenSize, labels, true),
          ]),
        ],
        base: 'transformer',
        hasDecoder: true,
      };
    case 'token-classification':
      return {
        facts: t5Classifier(labels, 'tokens', null),
        nodes: [linear('classifier', hiddenSize, labels, true)],
        base: 'transformer',
        hasDecoder: false,
      };
    case 'question-answering':
      return {
        facts: t5Classifier(labels, 'span', null),
        nodes: [linear('qa_outputs', hiddenSize, labels, true)],
        base: '',
        hasDecoder: true,
      };
    case 'encoder':
      return { facts: { kind: 'none' }, nodes: [], base: '', hasDecoder: false };
    default:
      return { facts: { kind: 'none' }, nodes: [], base: '', hasDecoder: true };
  }
}

const t5Classifier = (
  labels: number,
  over: 'tokens' | 'input' | 'span',
  transform: { readonly size: number; readonly activation: string } | null,
): Head => ({ kind: 'classifier', labels, over, transform, dropout: 0 });
