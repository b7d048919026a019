/** Which definition reads which `model_type`, and what its base class is called in transformers. */
import type { Backbone } from '../backbone';
import { decoderModel, type ReadArchitecture } from '../decoderClasses';
import type { Fields } from '../fields';
import type { ModelClass } from '../modelClass';
import { bert, electra, roberta, xlmRoberta } from './bert';
import { deberta } from './deberta';
import { deepseekSparse, deepseekV2, deepseekV3, latentDense, latentGlm, mistral4 } from './deepseek';
import { albert, distilbert, modernBert, mpnet } from './encoders';
import { gpt2, gptBigCode, gptJ, gptNeo, gptNeoX } from './gpt';
import {
  cohere,
  exaone4,
  gemma,
  gemma2,
  gemma3,
  granite,
  llama,
  mistral,
  olmo,
  olmo2,
  phi3,
  qwen2,
  qwen3,
  smollm3,
  stablelm,
  starcoder2,
} from './llama';
import {
  dots1,
  exaoneMoe,
  glm4Moe,
  gptOss,
  mimoV2,
  minimaxM2,
  mixtral,
  olmoe,
  phimoe,
  qwen2Moe,
  qwen3Moe,
  solarOpen,
} from './moe';
import { t5 } from './t5';
import { vit } from './vit';

export interface Family {
  readonly baseClass: string;
  readonly read: (fields: Fields, modelClass: ModelClass) => ReadArchitecture;
  /** Present for decoders, which other models take in as their language model. */
  readonly backbone: ((fields: Fields) => Backbone) | null;
}

const decoder = (baseClass: string, backbone: (fields: Fields) => Backbone): Family => ({
  baseClass,
  read: (fields, modelClass) => decoderModel(backbone(fields), modelClass),
  backbone,
});

const whole = (baseClass: string, read: Family['read']): Family => ({ baseClass, read, backbone: null });

export const families: Readonly<Record<string, Family>> = {
  llama: decoder('LlamaModel', llama),
  mistral: decoder('MistralModel', mistral),
  qwen2: decoder('Qwen2Model', qwen2),
  qwen3: decoder('Qwen3Model', qwen3),
  phi3: decoder('Phi3Model', phi3),
  olmo: decoder('OlmoModel', olmo),
  olmo2: decoder('Olmo2Model', olmo2),
  olmo3: decoder('Olmo3Model', olmo2),
  granite: decoder('GraniteModel', granite),
  cohere: decoder('CohereModel', cohere),
  cohere2: decoder('Cohere2Model', cohere),
  starcoder2: decoder('Starcoder2Model', starcoder2),
  stablelm: decoder('StableLmModel', stablelm),
  gemma: decoder('GemmaModel', gemma),
  gemma2: decoder('Gemma2Model', gemma2),
  gemma3_text: decoder('Gemma3TextModel', gemma3),
  exaone4: decoder('Exaone4Model', exaone4),
  smollm3: decoder('SmolLM3Model', smollm3),
  phi: decoder('PhiModel', phi),
  persimmon: decoder('PersimmonModel', persimmon),
  nemotron: decoder('NemotronModel', nemotron),
  glm: decoder('GlmModel', glm),
  glm4: decoder('Glm4Model', glm4),
  helium: decoder('HeliumModel', helium),
  arcee: decoder('ArceeModel', arcee),
  jais2: decoder('Jais2Model', jais2),
  seed_oss: decoder('SeedOssModel', seedOss),
  ernie4_5: decoder('Ernie4_5Model', ernie45),
  hunyuan_v1_dense: decoder('HunYuanDenseV1Model', hunyuanDense),
  cwm: decoder('CwmModel', windowedLlama),
  ministral: decoder('MinistralModel', windowedLlama),
  ministral3: decoder('Ministral3Model', mistral),
  vaultgemma: decoder('VaultGemmaModel', vaultGemma),
  internlm: decoder('InternLMModel', internLm),
  internlm3: decoder('InternLM3Model', internLm3),
  orion: decoder('OrionModel', orion),
  xverse: decoder('XverseModel', llama),
  aquila: decoder('AquilaModel', llama),
  skywork: decoder('SkyworkModel', llama),
  mimo: decoder('MiMoModel', qwen2Like),
  dream: decoder('DreamModel', qwen2),
  opt: decoder('OPTModel', opt),
  falcon: decoder('FalconModel', falcon),
  RefinedWeb: decoder('RWModel', falcon),
  RefinedWebModel: decoder('RWModel', falcon),
  bloom: decoder('BloomModel', bloom),
  mpt: decoder('MptModel', mpt),
  mixtral: decoder('MixtralModel', mixtral),
  phimoe: decoder('PhimoeModel', phimoe),
  qwen2_moe: decoder('Qwen2MoeModel', qwen2Moe),
  qwen3_moe: decoder('Qwen3MoeModel', qwen3Moe),
  olmoe: decoder('OlmoeModel', olmoe),
  flex_olmo: decoder('FlexOlmoModel', olmoe),
  gpt_oss: decoder('GptOssModel', gptOss),
  glm4_moe: decoder('Glm4MoeModel', glm4Moe),
  solar_open: decoder('SolarOpenModel', solarOpen),
  dots1: decoder('Dots1Model', dots1),
  exaone_moe: decoder('ExaoneMoeModel', exaoneMoe),
  minimax_m2: decoder('MiniMaxM2Model', minimaxM2),
  mimo_v2_flash: decoder('MiMoV2FlashModel', mimoV2),
  deepseek_v2: decoder('DeepseekV2Model', deepseekV2),
  deepseek_v3: decoder('DeepseekV3Model', deepseekV3),
  kimi_k2: decoder('DeepseekV3Model', deepseekV3),
  deepseek_v32: decoder('DeepseekV32Model', deepseekSparse),
  glm_moe_dsa: decoder('GlmMoeDsaModel', deepseekSparse),
  glm4_moe_lite: decoder('Glm4MoeLiteModel', latentGlm),
  mistral4: decoder('Mistral4Model', mistral4),
  youtu: decoder('YoutuModel', latentDense),
  minicpm3: decoder('MiniCPM3Model', latentDense),
  gpt2: decoder('GPT2Model', gpt2),
  gpt_bigcode: decoder('GPTBigCodeModel', gptBigCode),
  gpt_neo: decoder('GPTNeoModel', gptNeo),
  gptj: decoder('GPTJModel', gptJ),
  codegen: decoder('CodeGenModel', gptJ),
  gpt_neox: decoder('GPTNeoXModel', gptNeoX),
  bert: whole('BertModel', bert),
  roberta: whole('RobertaModel', roberta),
  'xlm-roberta': whole('XLMRobertaModel', xlmRoberta),
  camembert: whole('CamembertModel', xlmRoberta),
  electra: whole('ElectraModel', electra),
  deberta: whole('DebertaModel', deberta),
  'deberta-v2': whole('DebertaV2Model', deberta),
  distilbert: whole('DistilBertModel', distilbert),
  albert: whole('AlbertModel', albert),
  mpnet: whole('MPNetModel', mpnet),
  modernbert: whole('ModernBertModel', modernBert),
  t5: whole('T5Model', t5),
  mt5: whole('MT5Model', t5),
  umt5: whole('UMT5Model', t5),
  vit: whole('ViTModel', vit),
  deit: whole('DeiTModel', vit),
};
