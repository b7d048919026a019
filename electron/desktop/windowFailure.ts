import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { Dialogs } from './ports/dialogs';

/** Says that the window's process ended by itself, and asks whether to go on. */
export async function askAfterWindowFailure(
  dialogs: Dialogs,
  locale: Locale,
  reason: string,
): Promise<'reload' | 'quit'> {
  const words = (text: Message): string => translate(locale, text);
  const answer = await dialogs.ask({
    id: 'window-failed',
    severity: 'error',
    title: words(message('desktop.windowFailedTitle')),
    text: words(message('desktop.windowFailedText', { reason })),
    detail: null,
    buttons: [
      { id: 'reload', label: words(message('desktop.windowFailedReload')) },
      { id: 'quit', label: words(message('desktop.menuQuit')) },
    ],
    safeButtonId: 'reload',
  });
  return answer === 'quit' ? 'quit' : 'reload';
}
