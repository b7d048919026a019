import { message, type Message } from '../../i18n/message';
import type { Fix } from '../types';

/**
 * A fix as one line of words, its line to copy at the end.
 * @param words translates into the language of whoever reads
 */
export function fixText({ text, setting }: Fix, words: (text: Message) => string): string {
  return setting === null
    ? words(message('doctor.fix', { text: words(text) }))
    : words(message('doctor.fixWithSetting', { text: words(text), setting }));
}
