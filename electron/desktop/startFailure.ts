import { message, type Message } from '../../shared/i18n/message';
import { translate } from '../../shared/i18n/translate';
import { systemLanguage } from './language';

/** The words for an app that cannot start, in the system's language. */
export function startFailure(
  systemLocale: string,
  problem: string,
): { readonly title: string; readonly text: string } {
  const words = (text: Message): string => translate(systemLanguage([systemLocale]), text);
  return {
    title: words(message('desktop.startFailedTitle')),
    text: words(message('desktop.startFailedText', { problem })),
  };
}
