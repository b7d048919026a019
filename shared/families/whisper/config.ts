/** Whisper: an encoder over mel frames and a decoder of text. */
import type { Head } from '../../model/architecture';
import { type ReadArchitecture, placed } from '../../model/decoderClasses';
import { languageModelFacts, tokenInputs } from '../../model/facts';
import type { ConfigFields } from '../../model/configFields';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import { convolution, embedding, frozen, group, linear, list, norm, tied } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { type Side, sideBlock, sideDropout, sideLayer } from '../bart/config';

/** Whisper's encoder: two convolutions over mel frames, positions that are not trained, keys without bias. */
export function whisperEncoder(fields: ConfigFields, path: string): Side {
  const hidden = fields.size('hidden_size');
  const layer = sideLayer(fields, hidden, 'encoder', 'pre', false);
  const layerCount = fields.layers(fields.has('encoder_layers') ? 'encoder_layers' : 'num_hidden_layers');
  const frames = fields.sizeOr('max_source_positions', 1500);
  const melBins = fields.sizeOr('num_mel_bins', 80);
  return {
    stack: {
      role: 'audio',
      path,
      hiddenSize: hidden,
      inputs: { kind: 'audio', melBins, frames },
      positions: { kind: 'sinusoidal' },
      layers: Array.from({ length: layerCount }, () => layer),
      finalNorm: layerNorm,
      maxPositions: frames,
      dropout: sideDropout(fields, 'encoder'),
    },
    node: group(path, [
      convolution('conv1', melBins, hidden, [3]),
      convolution('conv2', hidden, hidden, [3]),
      frozen(embedding('embed_positions', frames, hidden)),
      list('layers', Array<ModuleNode>(layerCount).fill(sideBlock(layer, hidden))),
      norm('layer_norm', hidden, layerNorm),
    ]),
  };
}

function whisperDecoder(fields: ConfigFields): Side {
  const hidden = fields.size('hidden_size');
  const layer = sideLayer(fields, hidden, 'decoder', 'pre', false);
  const layerCount = fields.layers(fields.has('decoder_layers') ? 'decoder_layers' : 'num_hidden_layers');
  const rows = fields.sizeOr('max_target_positions', 448);
  const vocabularySize = fields.size('vocab_size');
  return {
    stack: {
      role: 'decoder',
      path: 'decoder',
      hiddenSize: hidden,
      inputs: tokenInputs(vocabularySize, hidden),
      positions: { kind: 'learned' },
      layers: Array.from({ length: layerCount }, () => layer),
      finalNorm: layerNorm,
      maxPositions: rows,
      dropout: sideDropout(fields, 'decoder'),
    },
    node: group('decoder', [
      embedding('embed_tokens', vocabularySize, hidden),
      embedding('embed_positions', rows, hidden),
      list('layers', Array<ModuleNode>(layerCount).fill(sideBlock(layer, hidden))),
      norm('layer_norm', hidden, layerNorm),
    ]),
  };
}

/** Whisper: both sides, the encoder alone for classes of audio, the decoder alone for causal language models. */
export function readWhisper(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const hidden = fields.size('hidden_size');
  const common = { family: 'whisper', className: modelClass.name, connectors: [], warnings: [] };
  const encoder = whisperEncoder(fields, 'encoder');
  if (modelClass.kind === 'audio-classification') {
    const size = fields.sizeOr('classifier_proj_size', 256);
    return {
      ...common,
      stacks: [encoder.stack],
      head: {
        kind: 'classifier',
        labels: modelClass.labels,
        over: 'input',
        transform: { size, activation: 'none' },
        dropout: 0,
      },
      modules: group('', [
        encoder.node,
        linear('projector', hidden, size, true),
        linear('classifier', size, modelClass.labels, true),
      ]),
    };
  }
  const decoder = whisperDecoder(fields);
  const isCausal = modelClass.kind === 'causal-language-model';
  if (!isCausal && modelClass.kind !== 'conditional-generation')
    return {
      ...common,
      stacks: [encoder.stack, decoder.stack],
      head: { kind: 'none' },
      modules: group('', [encoder.node, decoder.node]),
    };
  const vocabularySize = fields.size('vocab_size');
  const head: Head = languageModelFacts(vocabularySize, fields.flag('tie_word_embeddings', true), {
    objective: isCausal ? 'causal' : 'sequence-to-sequence',
  });
  const output = linear('proj_out', hidden, vocabularySize);
  return {
    ...common,
    stacks: (isCausal ? [decoder.stack] : [encoder.stack, decoder.stack]).map((stack) =>
      placed(stack, 'model'),
    ),
    head,
    modules: group('', [
      group('model', isCausal ? [decoder.node] : [encoder.node, decoder.node]),
      head.tied ? tied(output, { weight: 'model.decoder.embed_tokens.weight' }) : output,
    ]),
  };
}
