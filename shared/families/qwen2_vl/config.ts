import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { norm } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import type { Tower } from '../common/config/patchTower';
import { qwenReader } from '../common/config/qwenVisionLanguage';
import { qwenTower, sequentialMerger } from '../common/config/qwenVisionTower';
import { defaults } from './defaults';

/** Here `embed_dim` is the tower's width and `hidden_size` the language model's, which elsewhere are names of one field. */
function qwen2Vision(fields: ConfigFields): Tower {
  const hidden = fields.size('embed_dim');
  const output = fields.values['hidden_size'] === undefined ? 3584 : fields.size('hidden_size');
  const width = Math.floor(hidden * fields.number('mlp_ratio', 4));
  return qwenTower(fields, {
    hidden,
    norm: layerNorm,
    mlp: gatedMlp(fields, {
      gated: false,
      bias: true,
      width,
      activation: fields.text('hidden_act', 'quick_gelu'),
    }),
    mlpNames: { up: 'fc1', down: 'fc2' },
    patchBias: false,
    merger: (merged) => sequentialMerger(norm('ln_q', hidden, layerNorm), merged, output),
    deepstack: () => [],
    positionRows: null,
  });
}

/** Qwen2-VL. */
export const readQwen2Vl = qwenReader(
  { family: 'qwen2_vl', textType: 'qwen2_vl_text', tie: { by: 'either' } },
  defaults.qwen2_vl_vision.part,
  qwen2Vision,
);
