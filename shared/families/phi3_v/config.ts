/** Phi-3 Vision and Phi-3.5 Vision: Phi-3 with CLIP's large tower inside the base model, joined four patches at a time. */
import type { Connector } from '../../model/architecture';
import { type Backbone, baseNode } from '../../model/backbone';
import { type ReadArchitecture, languageModelHead, placed } from '../../model/decoderClasses';
import { ConfigFields } from '../../model/configFields';
import { type ModelClass, isLanguageModel } from '../../model/modelClass';
import { group, linear, tensor } from '../../model/nodes';
import { clipVision } from '../common/config/imageTextTowers';
import { readPhi3 } from '../phi3/config';

/** CLIP ViT-L/14 at 336 pixels, which the code names by its id: https://huggingface.co/openai/clip-vit-large-patch14-336 */
const clipLarge336 = {
  hidden_size: 1024,
  intermediate_size: 4096,
  num_hidden_layers: 24,
  num_attention_heads: 16,
  image_size: 336,
  patch_size: 14,
  hidden_act: 'quick_gelu',
};

/** Phi-3 Vision and Phi-3.5 Vision, whose code names the tower instead of describing it. */
export function readPhi3Vision(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const language = readPhi3(fields);
  const tower = clipVision(new ConfigFields(clipLarge336, 'img_processor'), 'clip');
  const size = fields.part('img_processor')?.sizeOr('image_dim_out', 1024) ?? 1024;
  const hidden = language.stack.hiddenSize;
  const joined = 4 * size;
  const embedding = group(
    'vision_embed_tokens',
    [
      group('img_processor', [group('vision_model', tower.children)]),
      group('img_projection', [linear('0', joined, hidden, true), linear('2', hidden, hidden, true)]),
    ],
    [tensor('glb_GN', 1, 1, joined), tensor('sub_GN', 1, 1, 1, joined)],
  );
  const [table, ...rest] = language.children;
  const whole: Backbone = {
    ...language,
    children: [...(table === undefined ? [] : [table]), embedding, ...rest],
  };
  const isBare = !isLanguageModel(modelClass);
  const base = isBare ? '' : 'model';
  const head = isBare ? null : languageModelHead(whole, base);
  const connector: Connector = {
    path: `${isBare ? '' : 'model.'}vision_embed_tokens.img_projection`,
  };
  return {
    family: 'phi3_v',
    className: modelClass.name,
    stacks: [
      placed(placed(tower.stack, 'vision_embed_tokens.img_processor.vision_model'), base),
      placed(whole.stack, base),
    ],
    connectors: [connector],
    head: head?.facts ?? { kind: 'none' },
    modules: head === null ? baseNode(whole, '') : group('', [baseNode(whole, base), ...head.nodes]),
    warnings: language.warnings,
  };
}
