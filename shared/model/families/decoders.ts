/** Decoders by `model_type`: what reads them, and what their base class is called in transformers. */
import type { Backbone } from '../backbone';
import type { Fields } from '../fields';
import * as latent from './deepseek';
import { deepseekV4 } from './deepseekV4';
import * as gemma4s from './gemma4';
import * as gpts from './gpt';
import * as llama4s from './llama4Text';
import * as llamas from './llama';
import * as kin from './llamaKin';
import * as mixtures from './moe';
import * as others from './otherDecoders';
import { nemotronH } from './nemotronH';
import * as hybrids from './qwenHybrid';
import * as otherMixtures from './moreMixtures';
import { bamba, falconH1, graniteHybrid, jamba } from './mambaHybrids';
import { minimaxM3Text } from './minimaxM3';
import * as rare from './rareBlocks';
import * as remote from './remoteCode';
import * as rwkvs from './rwkv';
import * as spaces from './stateSpace';
import { bioGpt, xglm } from './xglm';

/**
 * A decoder's definition: sizes, module names and their order are those of `models/<type>/modeling_<type>.py` in transformers 5.17
 * (https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models), or of the code published beside the weights.
 * `backbone` throws a `Refusal` that names the field where a size is missing or is no size.
 */
export interface Decoder {
  readonly baseClass: string;
  readonly backbone: (fields: Fields) => Backbone;
}

const decoder = (baseClass: string, backbone: Decoder['backbone']): Decoder => ({ baseClass, backbone });

/** Decoders by `model_type`. */
export const decoders: Readonly<Record<string, Decoder>> = {
  llama: decoder('LlamaModel', llamas.llama),
  mistral: decoder('MistralModel', llamas.mistral),
  qwen2: decoder('Qwen2Model', llamas.qwen2),
  qwen3: decoder('Qwen3Model', llamas.qwen3),
  phi3: decoder('Phi3Model', llamas.phi3),
  olmo: decoder('OlmoModel', llamas.olmo),
  olmo2: decoder('Olmo2Model', llamas.olmo2),
  olmo3: decoder('Olmo3Model', llamas.olmo2),
  granite: decoder('GraniteModel', llamas.granite),
  cohere: decoder('CohereModel', llamas.cohere),
  cohere2: decoder('Cohere2Model', llamas.cohere),
  starcoder2: decoder('Starcoder2Model', llamas.starcoder2),
  stablelm: decoder('StableLmModel', llamas.stablelm),
  gemma: decoder('GemmaModel', llamas.gemma),
  gemma2: decoder('Gemma2Model', llamas.gemma2),
  gemma3_text: decoder('Gemma3TextModel', llamas.gemma3),
  exaone4: decoder('Exaone4Model', llamas.exaone4),
  smollm3: decoder('SmolLM3Model', llamas.smollm3),
  phi: decoder('PhiModel', kin.phi),
  persimmon: decoder('PersimmonModel', kin.persimmon),
  nemotron: decoder('NemotronModel', kin.nemotron),
  glm: decoder('GlmModel', kin.glm),
  glm4: decoder('Glm4Model', kin.glm4),
  helium: decoder('HeliumModel', kin.helium),
  arcee: decoder('ArceeModel', kin.arcee),
  jais2: decoder('Jais2Model', kin.jais2),
  seed_oss: decoder('SeedOssModel', kin.seedOss),
  ernie4_5: decoder('Ernie4_5Model', kin.ernie45),
  hunyuan_v1_dense: decoder('HunYuanDenseV1Model', kin.hunyuanDense),
  cwm: decoder('CwmModel', kin.windowedLlama),
  ministral: decoder('MinistralModel', kin.windowedLlama),
  ministral3: decoder('Ministral3Model', llamas.mistral),
  vaultgemma: decoder('VaultGemmaModel', kin.vaultGemma),
  internlm: decoder('InternLMModel', kin.internLm),
  internlm3: decoder('InternLM3Model', kin.internLm3),
  orion: decoder('OrionModel', kin.orion),
  xverse: decoder('XverseModel', llamas.llama),
  aquila: decoder('AquilaModel', llamas.llama),
  skywork: decoder('SkyworkModel', llamas.llama),
  mimo: decoder('MiMoModel', kin.qwen2Like),
  dream: decoder('DreamModel', llamas.qwen2),
  opt: decoder('OPTModel', others.opt),
  falcon: decoder('FalconModel', others.falcon),
  RefinedWeb: decoder('RWModel', others.falcon),
  RefinedWebModel: decoder('RWModel', others.falcon),
  bloom: decoder('BloomModel', others.bloom),
  mpt: decoder('MptModel', others.mpt),
  mixtral: decoder('MixtralModel', mixtures.mixtral),
  phimoe: decoder('PhimoeModel', mixtures.phimoe),
  qwen2_moe: decoder('Qwen2MoeModel', mixtures.qwen2Moe),
  qwen3_moe: decoder('Qwen3MoeModel', mixtures.qwen3Moe),
  olmoe: decoder('OlmoeModel', mixtures.olmoe),
  flex_olmo: decoder('FlexOlmoModel', mixtures.olmoe),
  gpt_oss: decoder('GptOssModel', mixtures.gptOss),
  glm4_moe: decoder('Glm4MoeModel', mixtures.glm4Moe),
  solar_open: decoder('SolarOpenModel', mixtures.solarOpen),
  dots1: decoder('Dots1Model', mixtures.dots1),
  exaone_moe: decoder('ExaoneMoeModel', mixtures.exaoneMoe),
  minimax_m2: decoder('MiniMaxM2Model', mixtures.minimaxM2),
  mimo_v2_flash: decoder('MiMoV2FlashModel', mixtures.mimoV2),
  deepseek_v2: decoder('DeepseekV2Model', latent.deepseekV2),
  deepseek_v3: decoder('DeepseekV3Model', latent.deepseekV3),
  kimi_k2: decoder('DeepseekV3Model', latent.deepseekV3),
  deepseek_v32: decoder('DeepseekV32Model', latent.deepseekSparse),
  glm_moe_dsa: decoder('GlmMoeDsaModel', latent.deepseekSparse),
  glm4_moe_lite: decoder('Glm4MoeLiteModel', latent.latentGlm),
  mistral4: decoder('Mistral4Model', latent.mistral4),
  youtu: decoder('YoutuModel', latent.latentDense),
  minicpm3: decoder('MiniCPM3Model', latent.latentDense),
  qwen3_next: decoder('Qwen3NextModel', hybrids.qwen3Next),
  qwen3_5_text: decoder('Qwen3_5TextModel', hybrids.qwen35),
  qwen3_5_moe_text: decoder('Qwen3_5MoeTextModel', hybrids.qwen35),
  qwen2_vl_text: decoder('Qwen2VLTextModel', llamas.qwen2),
  qwen2_5_vl_text: decoder('Qwen2_5_VLTextModel', llamas.qwen2),
  qwen2_5_omni_text: decoder('Qwen2_5OmniThinkerTextModel', llamas.qwen2),
  qwen3_omni_moe_text: decoder('Qwen3OmniMoeThinkerTextModel', mixtures.qwen3Moe),
  qwen3_vl_text: decoder('Qwen3VLTextModel', llamas.qwen3),
  qwen3_vl_moe_text: decoder('Qwen3VLMoeTextModel', mixtures.qwen3Moe),
  gpt2: decoder('GPT2Model', gpts.gpt2),
  gpt_bigcode: decoder('GPTBigCodeModel', gpts.gptBigCode),
  gpt_neo: decoder('GPTNeoModel', gpts.gptNeo),
  gptj: decoder('GPTJModel', gpts.gptJ),
  codegen: decoder('CodeGenModel', gpts.gptJ),
  gpt_neox: decoder('GPTNeoXModel', gpts.gptNeoX),
  glm4v_text: decoder('Glm4vTextModel', kin.glm4),
  gemma4_text: decoder('Gemma4TextModel', gemma4s.gemma4Text),
  llama4_text: decoder('Llama4TextModel', llama4s.llama4Text),
  mllama_text_model: decoder('MllamaTextModel', llama4s.mllamaText),
  granitemoe: decoder('GraniteMoeModel', otherMixtures.graniteMoe),
  granitemoeshared: decoder('GraniteMoeSharedModel', otherMixtures.graniteMoe),
  ernie4_5_moe: decoder('Ernie4_5_MoeModel', otherMixtures.ernie45Moe),
  hunyuan_v1_moe: decoder('HunYuanMoEV1Model', otherMixtures.hunyuanMoe),
  afmoe: decoder('AfmoeModel', otherMixtures.afmoe),
  cohere2_moe: decoder('Cohere2MoeModel', otherMixtures.cohere2Moe),
  apertus: decoder('ApertusModel', rare.apertus),
  bitnet: decoder('BitNetModel', rare.bitnet),
  nanochat: decoder('NanoChatModel', rare.nanochat),
  lfm2: decoder('Lfm2Model', rare.lfm2),
  lfm2_moe: decoder('Lfm2MoeModel', rare.lfm2),
  rwkv: decoder('RwkvModel', rwkvs.rwkv4),
  rwkv5: decoder('Rwkv5Model', rwkvs.rwkv5),
  rwkv6: decoder('Rwkv6Model', rwkvs.rwkv6),
  deepseek_v4: decoder('DeepseekV4Model', deepseekV4),
  minimax_m3: decoder('MiniMaxM3Model', minimaxM3Text),
  minimax_m3_vl_text: decoder('MiniMaxM3VLTextModel', minimaxM3Text),
  xglm: decoder('XGLMModel', xglm),
  biogpt: decoder('BioGptModel', bioGpt),
  granitemoehybrid: decoder('GraniteMoeHybridModel', graniteHybrid),
  bamba: decoder('BambaModel', bamba),
  falcon_h1: decoder('FalconH1Model', falconH1),
  jamba: decoder('JambaModel', jamba),
  mamba: decoder('MambaModel', spaces.mamba),
  falcon_mamba: decoder('FalconMambaModel', spaces.mamba),
  mamba2: decoder('Mamba2Model', spaces.mamba2),
  nemotron_h: decoder('NemotronHModel', nemotronH),
  minicpm: decoder('MiniCPMModel', remote.miniCpm),
  baichuan: decoder('BaichuanModel', remote.baichuan),
  qwen: decoder('QWenModel', remote.qwen1),
  internlm2: decoder('InternLM2Model', remote.internLm2),
  exaone: decoder('ExaoneModel', remote.exaone3),
  yuan: decoder('YuanModel', remote.yuan),
  'nemotron-nas': decoder('DeciLMModel', remote.deciLm),
  deci: decoder('DeciLMModel', remote.deciLm),
  'phi-msft': decoder('PhiModel', kin.phi),
};
