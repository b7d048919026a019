import { guessEncoding } from '../../shared/textEncoding';

/** The text of dropped bytes: UTF-8 or UTF-16; broken sequences become replacement marks. */
export function textOfBytes(bytes: ArrayBuffer): string {
  return new TextDecoder(guessEncoding(new Uint8Array(bytes)).encoding).decode(bytes);
}
