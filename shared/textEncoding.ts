/**
 * Which encoding a text file is in, from its first bytes. The edges (a Node stream, a file dropped into the window)
 * hand these names to the platform's own streaming TextDecoder.
 */
type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be';

export interface GuessedEncoding {
  readonly encoding: TextEncodingName;
  /** Bytes of the byte-order mark, to be left out. */
  readonly markBytes: 0 | 2 | 3;
}

/**
 * Guesses from a byte-order mark, else from where the zero bytes stand: logs are mostly ASCII, so UTF-16 has a zero
 * in every other place (Windows PowerShell's `>` writes such files). Anything else is taken as UTF-8.
 * @param head the first bytes of the text; a few hundred are enough, fewer are allowed
 */
export function guessEncoding(head: Uint8Array): GuessedEncoding {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', markBytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', markBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', markBytes: 2 };
  const pairs = Math.min(head.length, 1024) >> 1;
  let zerosInEvenPlaces = 0;
  let zerosInOddPlaces = 0;
  for (let pair = 0; pair < pairs; pair += 1) {
    if (head[2 * pair] === 0) zerosInEvenPlaces += 1;
    if (head[2 * pair + 1] === 0) zerosInOddPlaces += 1;
  }
  // Above a quarter of all pairs: a CJK text in UTF-16 still has its ASCII punctuation, spaces and line ends.
  if (zerosInOddPlaces > pairs / 4 && zerosInEvenPlaces <= pairs / 50)
    return { encoding: 'utf-16le', markBytes: 0 };
  if (zerosInEvenPlaces > pairs / 4 && zerosInOddPlaces <= pairs / 50)
    return { encoding: 'utf-16be', markBytes: 0 };
  return { encoding: 'utf-8', markBytes: 0 };
}

/** Characters at the beginning of a file by which it is told whether it is a text. */
const headCharacters = 4096;
/** A packed file has them everywhere; a text has those of colours, bells and progress bars, which do not count. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f]/g;
const mostControls = 0.05;

/** Whether a file begins like an archive, a picture or a checkpoint, in which a search for words finds nothing. */
export function looksBinary(start: string): boolean {
  const head = start.slice(0, headCharacters);
  return (head.match(controls)?.length ?? 0) > mostControls * head.length;
}
