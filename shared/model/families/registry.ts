/** Which definition reads which `model_type`, and what its base class is called in transformers. */
import { classDefaults } from '../classDefaults';
import { decoderModel, type ReadArchitecture } from '../decoderClasses';
import type { Fields } from '../fields';
import type { ModelClass } from '../modelClass';
import { decoders, type Decoder } from './decoders';
import * as barts from './bart';
import * as berts from './bert';
import * as clips from './clip';
import * as debertas from './deberta';
import * as encoders from './encoders';
import * as t5s from './t5';
import { beit, dinov2 } from './dinov2';
import { git } from './git';
import { modernBert } from './modernBert';
import { llama4 } from './llama4';
import { mllama } from './mllama';
import * as audio from './audioTowers';
import * as images from './imageTowers';
import * as qwens from './qwenVision';
import { gemma4 } from './gemma4Vision';
import { minimaxM3 } from './minimaxM3Vision';
import { phi3Vision } from './phi3Vision';
import { chatglm } from './remoteCode';
import * as joint from './visionLanguageModels';
import * as vits from './vit';
import { swin } from './swin';
import { wav2vec2 } from './wav2vec2';
import * as whispers from './whisper';

/** A family's definition, with the same contract as a `Decoder`'s; `read` takes the class that the file names, too. */
export interface Family {
  readonly baseClass: string;
  readonly read: (fields: Fields, modelClass: ModelClass) => ReadArchitecture;
}

const whole = (baseClass: string, read: Family['read']): Family => ({ baseClass, read });

const ofDecoder = ({ baseClass, backbone }: Decoder): Family => ({
  baseClass,
  read: (fields, modelClass) => decoderModel(backbone(fields), modelClass),
});

const readers: Readonly<Record<string, Family>> = {
  ...Object.fromEntries(Object.entries(decoders).map(([type, entry]) => [type, ofDecoder(entry)])),
  bert: whole('BertModel', berts.bert),
  roberta: whole('RobertaModel', berts.roberta),
  'xlm-roberta': whole('XLMRobertaModel', berts.xlmRoberta),
  camembert: whole('CamembertModel', berts.xlmRoberta),
  electra: whole('ElectraModel', berts.electra),
  deberta: whole('DebertaModel', debertas.deberta),
  'deberta-v2': whole('DebertaV2Model', debertas.deberta),
  distilbert: whole('DistilBertModel', encoders.distilbert),
  albert: whole('AlbertModel', encoders.albert),
  mpnet: whole('MPNetModel', encoders.mpnet),
  modernbert: whole('ModernBertModel', modernBert),
  t5: whole('T5Model', t5s.t5),
  mt5: whole('MT5Model', t5s.t5),
  umt5: whole('UMT5Model', t5s.t5),
  bart: whole('BartModel', barts.bart),
  mbart: whole('MBartModel', barts.bart),
  plbart: whole('PLBartModel', barts.bart),
  pegasus: whole('PegasusModel', barts.bart),
  marian: whole('MarianModel', barts.bart),
  blenderbot: whole('BlenderbotModel', barts.bart),
  'blenderbot-small': whole('BlenderbotSmallModel', barts.bart),
  m2m_100: whole('M2M100Model', barts.bart),
  whisper: whole('WhisperModel', whispers.whisper),
  clip: whole('CLIPModel', clips.clip),
  clip_text_model: whole('CLIPTextModel', clips.clipTextModel),
  clip_vision_model: whole('CLIPVisionModel', clips.clipVisionModel),
  siglip: whole('SiglipModel', clips.siglip),
  siglip_text_model: whole('SiglipTextModel', clips.siglipTextModel),
  siglip_vision_model: whole('SiglipVisionModel', clips.siglipVisionModel),
  vit: whole('ViTModel', vits.vit),
  deit: whole('DeiTModel', vits.vit),
  llava: whole('LlavaModel', joint.llava),
  llava_llama: whole('LlavaLlamaModel', joint.llava),
  llava_next: whole('LlavaNextModel', joint.llavaNext),
  llava_onevision: whole('LlavaOnevisionModel', joint.llavaOnevision),
  mistral3: whole('Mistral3Model', joint.mistral3),
  gemma3: whole('Gemma3Model', joint.gemma3),
  paligemma: whole('PaliGemmaModel', joint.paligemma),
  idefics3: whole('Idefics3Model', joint.idefics3),
  smolvlm: whole('SmolVLMModel', joint.idefics3),
  internvl: whole('InternVLModel', joint.internVl),
  aya_vision: whole('AyaVisionModel', joint.ayaVision),
  qwen2_vl: whole('Qwen2VLModel', qwens.qwen2Vl),
  qwen2_5_vl: whole('Qwen2_5_VLModel', qwens.qwen25Vl),
  qwen3_vl: whole('Qwen3VLModel', qwens.qwen3Vl),
  qwen3_vl_moe: whole('Qwen3VLMoeModel', qwens.qwen3VlMoe),
  qwen3_5: whole('Qwen3_5Model', qwens.qwen35),
  qwen3_5_moe: whole('Qwen3_5MoeModel', qwens.qwen35Moe),
  voxtral: whole('VoxtralModel', audio.voxtral),
  qwen2_audio: whole('Qwen2AudioModel', audio.qwen2Audio),
  gemma4: whole('Gemma4Model', gemma4),
  llama4: whole('Llama4Model', llama4),
  mllama: whole('MllamaModel', mllama),
  chatglm: whole('ChatGLMModel', chatglm),
  phi3_v: whole('Phi3VModel', phi3Vision),
  dinov2: whole('Dinov2Model', dinov2),
  dinov2_with_registers: whole('Dinov2WithRegistersModel', dinov2),
  beit: whole('BeitModel', beit),
  git: whole('GitModel', git),
  wav2vec2: whole('Wav2Vec2Model', wav2vec2),
  hubert: whole('HubertModel', wav2vec2),
  minimax_m3_vl: whole('MiniMaxM3VLModel', minimaxM3),
  kimi_k25: whole('KimiK25Model', images.kimiK25),
  glm4v: whole('Glm4vModel', images.glm4v),
  swin: whole('SwinModel', swin),
};

/** Families by `model_type`; each reads a whole config over what its class takes where the file is silent. */
export const families: Readonly<Record<string, Family>> = Object.fromEntries(
  Object.entries(readers).map(([type, { baseClass, read }]) => {
    const defaults = classDefaults[type] ?? {};
    return [type, whole(baseClass, (fields, modelClass) => read(fields.over(defaults), modelClass))];
  }),
);
