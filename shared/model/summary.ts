/** What `headroom model` says of a model. */
import type { Message } from '../i18n/message';
import type { Architecture, Stack } from './architecture';
import { parameterCount } from './inventory';

/** What `headroom model` says. */
export interface ModelSummary {
  /** Its id in the catalogue; null for a file. */
  readonly id: string | null;
  readonly name: string;
  /** The class whose parameters are counted. */
  readonly architecture: string;
  /** Null where the file names none. */
  readonly modelType: string | null;
  readonly family: string;
  readonly parameters: number;
  /** Layers of the main stack. */
  readonly layers: number;
  readonly hiddenSize: number;
  /** Null for models without tokens. */
  readonly vocabularySize: number | null;
  readonly warnings: readonly Message[];
}

/** The summary of a model under `name`; `id` where it is one of the catalogue. */
export function modelSummary(architecture: Architecture, id: string | null, name: string): ModelSummary {
  const stack = mainStack(architecture);
  return {
    id,
    name,
    architecture: architecture.className,
    modelType: architecture.modelType,
    family: architecture.family,
    parameters: parameterCount(architecture),
    layers: stack?.layers.length ?? 0,
    hiddenSize: stack?.hiddenSize ?? 0,
    vocabularySize: stack?.inputs.kind === 'tokens' ? stack.inputs.vocabularySize : null,
    warnings: architecture.warnings,
  };
}

/** The stack people mean by the model: the one that reads or writes tokens, the decoder where there are two. */
export function mainStack(architecture: Architecture): Stack | null {
  const { stacks } = architecture;
  return (
    stacks.find(({ role, inputs }) => role === 'decoder' && inputs.kind === 'tokens') ??
    stacks.find(({ inputs }) => inputs.kind === 'tokens') ??
    stacks[0] ??
    null
  );
}
