import { message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { FileQuestion } from './ports/dialogs';

/** What a dialog that asks for a program lists: programs first on Windows, where they go by a name of their own. */
export function programFilters(locale: Locale, platform: NodeJS.Platform): FileQuestion['filters'] {
  const allFiles = { name: translate(locale, message('desktop.allFiles')), extensions: ['*'] };
  const programs = { name: translate(locale, message('desktop.programs')), extensions: ['exe'] };
  return platform === 'win32' ? [programs, allFiles] : [allFiles];
}
