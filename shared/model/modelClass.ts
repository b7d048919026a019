/** What the class named in `architectures[0]` puts around the base model. */
import { isRecord, type ConfigFields } from './configFields';

type ClassKind =
  | 'base'
  | 'causal-language-model'
  | 'masked-language-model'
  | 'conditional-generation'
  | 'sequence-classification'
  | 'token-classification'
  | 'question-answering'
  | 'multiple-choice'
  | 'image-classification'
  | 'pretraining'
  | 'encoder'
  | 'with-projection'
  | 'speech-recognition'
  | 'audio-classification'
  | 'unknown';

/** The class that a config names. */
export interface ModelClass {
  readonly name: string;
  readonly kind: ClassKind;
  /** Outputs of a classifier: as many as `id2label` names, else `num_labels`, else transformers' default of 2. */
  readonly labels: number;
}

/** The most telling endings first; `LMHead` is what `ForCausalLM` and `ForMaskedLM` were called before 2020. */
const endings: readonly (readonly [RegExp, ClassKind])[] = [
  [
    /For(Conditional|Speech)(Conditional)?Generation$|ForVision2Seq$|MTModel$|ForImageTextToText$/,
    'conditional-generation',
  ],
  [/ForMaskedLM$/, 'masked-language-model'],
  [/ForPreTraining$/, 'pretraining'],
  [/For(Sequence|Text)Classification$|ForSequenceRegression$|RewardModel$/, 'sequence-classification'],
  [/ForTokenClassification$|ForTokenRegression$/, 'token-classification'],
  [/ForQuestionAnswering$/, 'question-answering'],
  [/ForMultipleChoice$/, 'multiple-choice'],
  [/ForImageClassification$|ForImageClassificationWithTeacher$/, 'image-classification'],
  [/For(Audio|Speech)?CTC$|ForCTC$/, 'speech-recognition'],
  [/ForAudioClassification$/, 'audio-classification'],
  [/WithProjection$/, 'with-projection'],
  [/ForCausalLM$|LMHeadModel$|CausalLM$|LMHead$|ForSequenceModeling$/, 'causal-language-model'],
  [/EncoderModel$|Encoder$/, 'encoder'],
  [/Model$|Transformer$/, 'base'],
];

/** The class that the config asks for; without one, the base model `baseClass`. */
export function modelClassOf(fields: ConfigFields, baseClass: string): ModelClass {
  const named = fields.list('architectures')?.[0];
  const name = typeof named === 'string' && named !== '' ? named : baseClass;
  const kind = endings.find(([ending]) => ending.test(name))?.[1] ?? 'unknown';
  return { name, kind, labels: labelCount(fields) };
}

/** Whether the class is the one that predicts tokens, under any of the names that it has. */
export const isLanguageModel = ({ kind }: ModelClass): boolean =>
  kind === 'causal-language-model' || kind === 'conditional-generation';

function labelCount(fields: ConfigFields): number {
  const labels = fields.values['id2label'];
  if (isRecord(labels) && Object.keys(labels).length > 0) return Object.keys(labels).length;
  return fields.sizeOr('num_labels', 2);
}
