import { qwenReader } from '../common/config/qwenVisionLanguage';
import { qwen3Vision, untiedUnlessSaid } from '../qwen3_vl/config';
import { defaults } from './defaults';

/** Qwen3.5, dense. */
export const readQwen35Vision = qwenReader(
  { family: 'qwen3_5', textType: 'qwen3_5_text', tie: untiedUnlessSaid, hasClassifiers: true },
  defaults.qwen3_5_vision.part,
  qwen3Vision,
);

/** Qwen3.5 with experts. */
export const readQwen35MoeVision = qwenReader(
  { family: 'qwen3_5', textType: 'qwen3_5_moe_text', tie: untiedUnlessSaid },
  defaults.qwen3_5_moe_vision.part,
  qwen3Vision,
);
