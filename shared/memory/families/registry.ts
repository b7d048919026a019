/** Which forward plays which architecture. */
import type { FamilyForward } from './context';
import { gpt2Loss } from './gpt2';
import { llamaLoss } from './llama';

const forwards: Readonly<Record<string, FamilyForward>> = {
  gpt2: gpt2Loss,
  llama: llamaLoss,
  mistral: llamaLoss,
  qwen2: llamaLoss,
  gemma: llamaLoss,
};

/** The forward of a family, or null where none is written yet. */
export function forwardOf(family: string): FamilyForward | null {
  return Object.hasOwn(forwards, family) ? (forwards[family] ?? null) : null;
}
