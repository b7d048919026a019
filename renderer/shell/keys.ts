/** Whether a key pressed there writes or chooses something itself, so that it must not act on the whole window. */
export function takesKeys(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable], dialog',
    ) !== null
  );
}

/** Whether Space already means something there (a button, a row, a box), so that it must not pause the view. */
export function takesSpace(target: EventTarget | null): boolean {
  return (
    takesKeys(target) ||
    (target instanceof Element &&
      target.closest('button, a, summary, input, [role="row"], [role="tab"]') !== null)
  );
}

/** Whether an event is a plain key, without the modifiers of a command. */
export function isPlainKey(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing && !event.defaultPrevented;
}

/** The field that `/` and Ctrl+F lead to: the one the place on show has marked with `data-filter`. */
export function focusFilter(): boolean {
  const field = document.querySelector<HTMLInputElement>('main [data-filter]');
  if (field === null) return false;
  field.focus();
  field.select();
  return true;
}

/** Moves the focus to the heading of the place on show, where a screen reader says it. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
