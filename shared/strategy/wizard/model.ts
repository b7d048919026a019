/** From the answer of the step "Model" to a model that can be planned for. */
import { message, type Message } from '../../i18n/message';
import { isImageModel } from '../../memory/check';
import type { Architecture } from '../../model/architecture';
import { catalogueEntry } from '../../model/catalogue/catalogue';
import { configText } from '../../model/catalogue/configText';
import { type ModelReading, readConfig, readModel } from '../../families/readModel';
import { mainStack, modelSummary } from '../../model/summary';
import type { ModelAnswer, ModelSizes } from './answers';

/** A model with everything that planning and launch files need. */
export interface ChosenModel {
  /** Its id in the catalogue; null for a file or typed sizes. */
  readonly id: string | null;
  readonly name: string;
  readonly architecture: Architecture;
  /** The text of its config.json. */
  readonly configJson: string;
}

export type ChosenModelReading =
  | { readonly kind: 'model'; readonly model: ChosenModel }
  | { readonly kind: 'refused'; readonly why: Message };

/** What the page shows of a model. */
export interface ModelFacts {
  readonly name: string;
  readonly className: string;
  readonly parameters: number;
  readonly layers: number;
  readonly hiddenSize: number;
  /** Null for models without tokens. */
  readonly vocabularySize: number | null;
  /** True where a sample is an image, so that there is no sequence to choose. */
  readonly isImage: boolean;
  /** The longest sequence that its positions are made for; null: no limit, or not known. */
  readonly maxPositions: number | null;
  readonly warnings: readonly Message[];
}

/** Reads the answer; a config that is none, or whose sizes contradict each other, is refused with the reason. */
export function readModelAnswer(answer: ModelAnswer): ChosenModelReading {
  switch (answer.kind) {
    case 'catalogue': {
      const entry = catalogueEntry(answer.id);
      if (entry === null) return { kind: 'refused', why: message('model.unknownId', { id: answer.id }) };
      const { config, id, name } = entry;
      return chosen(readConfig(config), { id, name, configJson: configText(entry) });
    }
    case 'config':
      return chosen(readModel(answer.text), {
        id: null,
        name: modelNameOf(answer.name),
        configJson: answer.text,
      });
    case 'sizes': {
      const why = contradiction(answer.sizes);
      if (why !== null) return { kind: 'refused', why };
      const config = configOfSizes(answer.sizes);
      return chosen(readConfig(config), {
        id: null,
        name: 'custom-model',
        configJson: JSON.stringify(config, null, 2),
      });
    }
  }
}

function chosen(reading: ModelReading, named: Omit<ChosenModel, 'architecture'>): ChosenModelReading {
  return reading.kind === 'refused'
    ? { kind: 'refused', why: reading.reason }
    : { kind: 'model', model: { ...named, architecture: reading.architecture } };
}

/** `config.json` says nothing of the model, so such a file is called after what it is. */
function modelNameOf(fileName: string): string {
  const name = fileName.replace(/^.*[\\/]/, '').replace(/\.json$/i, '');
  return name === '' ? 'config' : name;
}

/** What PyTorch would refuse when such a model takes its first step. */
function contradiction({ heads, hiddenSize, keyValueHeads }: ModelSizes): Message | null {
  if (hiddenSize % heads !== 0) return message('planSteps.hiddenUneven', { hidden: hiddenSize, heads });
  return heads % keyValueHeads === 0
    ? null
    : message('planSteps.headsUneven', { heads, groups: keyValueHeads });
}

/** A Llama of these sizes: the block that most present language models share. */
function configOfSizes(sizes: ModelSizes): Readonly<Record<string, unknown>> {
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    hidden_size: sizes.hiddenSize,
    num_hidden_layers: sizes.layers,
    num_attention_heads: sizes.heads,
    num_key_value_heads: sizes.keyValueHeads,
    intermediate_size: sizes.intermediateSize,
    vocab_size: sizes.vocabularySize,
    hidden_act: 'silu',
    rms_norm_eps: 1e-5,
    tie_word_embeddings: sizes.tiedEmbeddings,
  };
}

export function modelFacts({ architecture, id, name }: ChosenModel): ModelFacts {
  const summary = modelSummary(architecture, id, name);
  return {
    name,
    className: summary.architecture,
    parameters: summary.parameters,
    layers: summary.layers,
    hiddenSize: summary.hiddenSize,
    vocabularySize: summary.vocabularySize,
    isImage: isImageModel(architecture),
    maxPositions: mainStack(architecture)?.maxPositions ?? null,
    warnings: summary.warnings,
  };
}
