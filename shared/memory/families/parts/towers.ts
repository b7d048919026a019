/** The two stacks of a model that compares texts with images. */
import type { Stack } from '../../../model/architecture';
import { textLength } from '../../training/batch';
import type { Forward } from '../context';

export interface Towers {
  readonly text: Stack;
  readonly image: Stack;
  /** Tokens of each text. */
  readonly textTokens: number;
}

export function towersOf({ architecture, sequence }: Forward): Towers {
  const text = architecture.stacks.find(({ inputs }) => inputs.kind === 'tokens');
  const image = architecture.stacks.find(({ inputs }) => inputs.kind === 'patches');
  if (text === undefined || image === undefined) throw new Error('Not a model of texts and images.');
  return { text, image, textTokens: textLength(architecture, sequence) };
}
