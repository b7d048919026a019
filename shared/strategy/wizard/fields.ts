/**
 * Reads what people type into the wizard's fields. Null: not a value that the field takes. Digits and signs may be of
 * full width, as Chinese input methods write them.
 */
const plainForm = (text: string): string => text.normalize('NFKC').trim();

/** A whole number of at least 1, with or without separators of thousands: `2048`, `2,048`, `2 048`. */
export function readCount(text: string, most: number): number | null {
  const plain = plainForm(text);
  const isGrouped = /^\d{1,3}(?:[,\s_’']\d{3})+$/.test(plain);
  if (!isGrouped && !/^\d+$/.test(plain)) return null;
  const value = Number(plain.replace(/\D/g, ''));
  return value >= 1 && value <= most ? value : null;
}

/** A size in GiB, with a decimal point or comma. */
export function readGib(text: string, most: number): number | null {
  const match = /^(\d{1,7}(?:[.,]\d{1,3})?)\s*(?:gib|gb|g)?$/i.exec(plainForm(text));
  if (match === null) return null;
  const value = Number((match[1] ?? '').replace(',', '.'));
  return value > 0 && value <= most ? value : null;
}

/** A share from 0 up to, but not, 1. */
export function readShare(text: string): number | null {
  const match = /^(0?[.,]\d{1,4}|0)$/.exec(plainForm(text));
  if (match === null) return null;
  return Number((match[1] ?? '').replace(',', '.'));
}

/** Names of modules, separated by commas or spaces; `all-linear`: every linear layer but the output. */
export function readTargets(text: string): 'all-linear' | readonly string[] | null {
  const names = plainForm(text)
    .split(/[\s,、]+/)
    .filter((name) => name !== '');
  if (names.length === 0) return null;
  if (names.length === 1 && names[0] === 'all-linear') return 'all-linear';
  const fitting = names.every((name) => /^[A-Za-z_][\w.]{0,63}$/.test(name));
  return fitting && names.length <= 32 ? names : null;
}
