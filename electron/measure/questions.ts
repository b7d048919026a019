import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { FileQuestion, Question } from '../desktop/ports/dialogs';
import { programFilters } from '../desktop/programFilters';

export function choosePythonQuestion(locale: Locale, platform: NodeJS.Platform): FileQuestion {
  const words = (text: Message): string => translate(locale, text);
  return {
    id: 'choose-python',
    title: words(message('measure.choosePythonTitle')),
    buttonLabel: words(message('measure.choosePythonButton')),
    folder: platform === 'win32' ? 'C:\\' : '/usr/bin',
    filters: programFilters(locale, platform),
  };
}

export interface ToRun {
  readonly name: string;
  readonly commands: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly limitSeconds: number;
}

/** What is run, in full, before anything is. */
export function measureQuestion(
  locale: Locale,
  { commands, environment, limitSeconds, name }: ToRun,
): Question {
  const words = (text: Message): string => translate(locale, text);
  return {
    id: 'measure',
    severity: 'question',
    title: words(message('measure.askTitle')),
    text: words(message('measure.ask', { name })),
    detail: [
      words(message('measure.askDetail')),
      '',
      ...commands.flatMap((command) => [command, '']),
      ...Object.entries(environment).map(([variable, value]) => `${variable}=${value}`),
      '',
      words(message('measure.askEnds', { limit: limitSeconds })),
    ].join('\n'),
    buttons: [
      { id: 'cancel', label: words(message('measure.cancel')) },
      { id: 'measure', label: words(message('measure.askButton')) },
    ],
    safeButtonId: 'cancel',
  };
}
