import { screen } from '@testing-library/svelte';

/** The text of an element as a person reads it, with single spaces. */
export function textOf(element: Element | null): string {
  return (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** The texts of an element's children, one by one. */
export function textsIn(element: Element | null, selector = ':scope > *'): string[] {
  return [...(element?.querySelectorAll(selector) ?? [])].map(textOf);
}

/** The row of a card. */
export function cardRow(index: number): HTMLElement {
  const found = document.querySelector<HTMLElement>(`[data-gpu="${index}"]`);
  if (found === null) throw new Error(`no row of card ${index}`);
  return found;
}

/** The figures of a card's row. */
export function cardFigures(index: number): string[] {
  return textsIn(cardRow(index), 'td.number');
}

/** The row of the jobs table whose name matches. */
export function jobRow(name: RegExp): HTMLElement {
  return screen.getByRole('row', { name });
}

/** The first cell of every row of the jobs table, from top to bottom. */
export function jobNames(): string[] {
  return textsIn(screen.getByRole('treegrid'), 'tbody td.name');
}
