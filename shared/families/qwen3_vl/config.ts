import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import type { ModuleNode } from '../../model/modules';
import { group, linear, list, norm, renamed } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import type { Tower } from '../common/config/patchTower';
import { qwenReader } from '../common/config/qwenVisionLanguage';
import { qwenTower } from '../common/config/qwenVisionTower';
import { defaults } from './defaults';

/** Qwen3-VL's tower, and Qwen3.5's, which has no mergers in between. */
export function qwen3Vision(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const output = fields.sizeOr('out_hidden_size', 3584);
  const between = fields.wholes('deepstack_visual_indexes') ?? [];
  const merger = (name: string, merged: number, normed: number): ModuleNode =>
    group(name, [
      norm('norm', normed, layerNorm),
      linear('linear_fc1', merged, merged, true),
      linear('linear_fc2', merged, output, true),
    ]);
  return qwenTower(fields, {
    hidden,
    norm: layerNorm,
    mlp: gatedMlp(fields, {
      gated: false,
      bias: true,
      activation: fields.text('hidden_act', 'gelu_pytorch_tanh'),
    }),
    mlpNames: { up: 'linear_fc1', down: 'linear_fc2' },
    patchBias: true,
    merger: (merged) => merger('merger', merged, hidden),
    deepstack: (merged) =>
      between.length === 0
        ? []
        : [
            list(
              'deepstack_merger_list',
              between.map(() => renamed(merger('', merged, merged), '')),
            ),
          ],
    positionRows: fields.sizeOr('num_position_embeddings', 2304),
  });
}

export const untiedUnlessSaid = { by: 'whole', fallback: false } as const;

/** Qwen3-VL, dense. */
export const readQwen3Vl = qwenReader(
  { family: 'qwen3_vl', textType: 'qwen3_vl_text', tie: untiedUnlessSaid },
  defaults.qwen3_vl_vision.part,
  qwen3Vision,
);

/** Qwen3-VL with experts. */
export const readQwen3VlMoe = qwenReader(
  { family: 'qwen3_vl', textType: 'qwen3_vl_moe_text', tie: untiedUnlessSaid },
  defaults.qwen3_vl_moe_vision.part,
  qwen3Vision,
);
