/** A card's name without the maker, which is the same for all: `RTX 3090`. Null where the name is not known. */
export function shortCardName(name: string): string;
export function shortCardName(name: string | null): string | null;
export function shortCardName(name: string | null): string | null {
  return name === null ? null : name.replace(/^NVIDIA\s+/i, '').replace(/^GeForce\s+(?=\S)/i, '');
}
