/** What transformers' code of a model does not do, so that a run would end with its error. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import { isMixed, type TrainingSettings } from './configuration';

/**
 * Types whose classes leave `supports_gradient_checkpointing` unset, so that `gradient_checkpointing_enable` raises.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/modeling_utils.py
 */
const withoutCheckpointing: ReadonlySet<string> = new Set([
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

/**
 * Types whose classes leave `_supports_sdpa` unset or false. They have one attention, which transformers calls eager, and raise where
 * they are built with `attn_implementation="sdpa"`.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/modeling_utils.py
 */
const withoutSdpa: ReadonlySet<string> = new Set([
  'big_bird',
  'bigbird_pegasus',
  'bit',
  'blip',
  'bloom',
  'codegen',
  'convbert',
  'convnext',
  'convnextv2',
  'cpmant',
  'cvt',
  'deberta',
  'deberta-v2',
  'deepseek_v4',
  'dinat',
  'efficientnet',
  'falcon_mamba',
  'flaubert',
  'fnet',
  'focalnet',
  'fsmt',
  'funnel',
  'git',
  'gpt_neo',
  'gpt_neox_japanese',
  'gpt_oss',
  'gptj',
  'granite_swa',
  'granitemoe_swa',
  'hgnet_v2',
  'hiera',
  'hy_v4',
  'ibert',
  'imagegpt',
  'layoutlm',
  'led',
  'longformer',
  'longt5',
  'luke',
  'mamba',
  'mamba2',
  'megatron-bert',
  'mimo_v2_flash',
  'mobilenet_v1',
  'mobilenet_v2',
  'mobilevit',
  'mobilevitv2',
  'mpnet',
  'mpt',
  'mra',
  'mvp',
  'nllb-moe',
  'nystromformer',
  'openai-gpt',
  'pegasus_x',
  'perceiver',
  'poolformer',
  'pp_lcnet',
  'prophetnet',
  'pvt',
  'pvt_v2',
  'reformer',
  'regnet',
  'rembert',
  'resnet',
  'roformer',
  'rwkv',
  'squeezebert',
  'swiftformer',
  'swinv2',
  'switch_transformers',
  'tapas',
  'textnet',
  'trocr',
  'xglm',
  'xlm',
  'xlnet',
  'xlstm',
  'yoso',
]);

/** Whether the model can be built with PyTorch's attention (`scaled_dot_product_attention`). A type that is not known can. */
export const knowsSdpa = ({ modelType }: Pick<Architecture, 'modelType'>): boolean =>
  modelType === null || !withoutSdpa.has(modelType);

/** The reason why the model's code cannot run so, or null. */
export function checkCode(
  { className, modelType }: Architecture,
  { checkpointing, precision }: TrainingSettings,
): Message | null {
  if (modelType === null) return null;
  if (checkpointing.kind === 'full' && withoutCheckpointing.has(modelType))
    return message('memory.noCheckpointing', { className });
  // Scores of 16 bits are filled with fp32's minimum, which they cannot hold.
  if (modelType === 'deberta' && isMixed(precision))
    return message('memory.noAutocast', { className, precision });
  return null;
}
