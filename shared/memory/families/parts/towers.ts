/** The two stacks of a model that compares texts with images. */
import type { Stack } from '../../../model/architecture';
import { MissingPart } from '../../tape/module';
import { textLength } from '../../training/batch';
import type { Forward } from '../context';

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
