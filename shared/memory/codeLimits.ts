/** What transformers' code of a model does not do, so that a run would end with its error. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import type { TrainingSettings } from './configuration';

/**
 * Types whose classes leave `supports_gradient_checkpointing` unset, so that `gradient_checkpointing_enable` raises.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/modeling_utils.py
 */
const WITHOUT_CHECKPOINTING: ReadonlySet<string> = new Set([
  'albert',
  'mpnet',
  'openai-gpt',
  'ctrl',
  'flaubert',
  'xlm',
  'xlnet',
  'funnel',
  'squeezebert',
  'ibert',
  'layoutlmv2',
  'layoutlmv3',
  'markuplm',
  'jetmoe',
  'gpt_neox_japanese',
  'fsmt',
  'reformer',
]);

/** The reason why the model's code cannot run so, or null. */
export function checkCode(
  { className, modelType }: Architecture,
  { checkpointing, precision }: TrainingSettings,
): Message | null {
  if (modelType === null) return null;
  if (checkpointing.kind === 'full' && WITHOUT_CHECKPOINTING.has(modelType))
    return message('memory.noCheckpointing', { className });
  // Scores of 16 bits are filled with fp32's minimum, which they cannot hold.
  if (modelType === 'deberta' && precision.startsWith('amp'))
    return message('memory.noAutocast', { className, precision });
  return null;
}
