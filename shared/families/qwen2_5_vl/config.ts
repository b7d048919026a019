import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { norm } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import type { Tower } from '../common/config/patchTower';
import { qwenReader } from '../common/config/qwenVisionLanguage';
import { qwenTower, sequentialMerger } from '../common/config/qwenVisionTower';
import { defaults } from './defaults';

function qwen25Vision(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const output = fields.sizeOr('out_hidden_size', 3584);
  return qwenTower(fields, {
    hidden,
    norm: rmsNorm,
    mlp: gatedMlp(fields, { bias: true }),
    mlpNames: { up: 'up_proj', down: 'down_proj' },
    patchBias: false,
    merger: (merged) => sequentialMerger(norm('ln_q', hidden, rmsNorm), merged, output),
    deepstack: () => [],
    positionRows: null,
  });
}

/** Qwen2.5-VL. */
export const readQwen25Vl = qwenReader(
  { family: 'qwen2_5_vl', textType: 'qwen2_5_vl_text', tie: { by: 'either' } },
  defaults.qwen2_5_vl_vision.part,
  qwen25Vision,
);
