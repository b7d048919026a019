/** Which definition reads which `model_type`, and what its base class is called in transformers. */
import type { Backbone } from '../backbone';
import { decoderModel, type ReadArchitecture } from '../decoderClasses';
import type { Fields } from '../fields';
import type { ModelClass } from '../modelClass';
import { bert, electra, roberta, xlmRoberta } from './bert';
import { deberta } from './deberta';
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
