/** GIT: BERT's block as a decoder over the patches of CLIP's tower and the text. */
import { type ReadArchitecture, placed } from '../../model/decoderClasses';
import { languageModelFacts, tokenInputs } from '../../model/facts';
import type { ConfigFields } from '../../model/configFields';
import type { ModelClass } from '../../model/modelClass';
import { embedding, group, indexBuffer, linear, list, norm, tied, withBuffers } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { bertDropout, bertLayers } from '../bert/config';
import { clipVision } from '../common/config/imageTextTowers';
import { towerFields } from '../common/config/patchTower';
import { defaults } from './defaults';

/** GIT with its tower; the class for causal language models has a head with bias. */
export function readGit(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const hidden = fields.size('hidden_size');
  const rows = fields.size('max_position_embeddings');
  const vocabularySize = fields.size('vocab_size');
  const own = towerFields(fields, 'vision_config', defaults.git_vision_model.part);
  const tower = clipVision(own, 'clip');
  const { layers, nodes } = bertLayers(fields, hidden, layerNorm);
  const size = tower.stack.hiddenSize;
  const children = [
    withBuffers(
      group('embeddings', [
        embedding('word_embeddings', vocabularySize, hidden),
        embedding('position_embeddings', rows, hidden),
        norm('LayerNorm', hidden, layerNorm),
      ]),
      [indexBuffer('position_ids', 1, rows)],
    ),
    group('image_encoder', [group('vision_model', tower.children)]),
    group('encoder', [list('layer', nodes)]),
    group('visual_projection', [
      group('visual_projection', [linear('0', size, hidden, true), norm('1', hidden, layerNorm)]),
    ]),
  ];
  const hasHead = modelClass.kind === 'causal-language-model';
  const base = hasHead ? 'git' : '';
  const output = linear('output', hidden, vocabularySize, true);
  const isTied = fields.flag('tie_word_embeddings', false);
  return {
    family: 'git',
    className: modelClass.name,
    stacks: [
      placed(tower.stack, [base, 'image_encoder.vision_model'].filter((part) => part !== '').join('.')),
      placed(
        {
          role: 'decoder',
          path: 'encoder',
          hiddenSize: hidden,
          inputs: tokenInputs(vocabularySize, hidden, { norm: layerNorm }),
          positions: { kind: 'learned' },
          layers,
          finalNorm: null,
          maxPositions: rows,
          dropout: bertDropout(fields),
        },
        base,
      ),
    ],
    connectors: [
      {
        path: `${hasHead ? 'git.' : ''}visual_projection`,
      },
    ],
    head: hasHead ? languageModelFacts(vocabularySize, isTied, {}) : { kind: 'none' },
    modules: group(
      '',
      hasHead
        ? [
            group('git', children),
            isTied ? tied(output, { weight: 'git.embeddings.word_embeddings.weight' }) : output,
          ]
        : children,
    ),
    warnings: [],
  };
}
