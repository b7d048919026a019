/** The two stacks of a model that compares texts with images. */
import { MissingPart } from '../../../memory/tape/module';
import { textLength } from '../../../memory/training/batch';
import type { Stack } from '../../../model/architecture';
import type { Forward } from '../../forward';

export interface Towers {
  readonly text: Stack;
  readonly image: Stack;
  /** Tokens of each text. */
  readonly textTokens: number;
}

/** Both towers of the model, and how many tokens its texts have. */
export function towersOf({ architecture, sequence }: Forward): Towers {
  const text = architecture.stacks.find(({ inputs }) => inputs.kind === 'tokens');
  const image = architecture.stacks.find(({ inputs }) => inputs.kind === 'patches');
  if (text === undefined || image === undefined) throw new MissingPart('The model has no two towers.');
  return { text, image, textTokens: textLength(architecture, sequence) };
}
