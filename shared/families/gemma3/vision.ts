import { group, norm, tensor } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { towerFirst } from '../common/config/towerBeforeLanguage';
import { visionLanguageReader } from '../common/config/visionLanguage';

/** Gemma 3: SigLIP's patches averaged, normed, and multiplied by one matrix. */
export const readGemma3Vision = visionLanguageReader({
  family: 'gemma3',
  textType: 'gemma3_text',
  tie: { by: 'whole', fallback: true },
  hasClassifiers: true,
  parts: (fields, backbone, listed) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'siglip_vision_model', missing: {} },
      listed,
      ({ stack: { hiddenSize } }) =>
        group(
          'multi_modal_projector',
          [norm('mm_soft_emb_norm', hiddenSize, { ...rmsNorm, onePlusWeight: true })],
          [tensor('mm_input_projection_weight', hiddenSize, backbone.stack.hiddenSize)],
        ),
    ),
});
