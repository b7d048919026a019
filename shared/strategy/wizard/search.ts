/** Whether all words of a search are in one of the texts, in any case and whatever stands between letters and digits. */
export function matchesSearch(search: string, texts: readonly string[]): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{Letter}\p{Number}]/gu, '');
  const words = search.split(/\s+/).flatMap((word) => (plain(word) === '' ? [] : [plain(word)]));
  const known = texts.map(plain).join(' ');
  return words.every((word) => known.includes(word));
}
