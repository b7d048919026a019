/** The variable that launch files set to the plan's id, so that sensing can tell which plan a process belongs to. */
export const planVariable = 'HEADROOM_PLAN';

/** The id that a variable holds; null for anything that is no id. */
export function planIdOf(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{16}$/.test(text) ? text : null;
}
