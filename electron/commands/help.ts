/** The help texts of the command and of its subcommands, from the catalogue. */
import { message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { Command, Flag } from './command';
import { columns } from './output';

/** Flags that every subcommand takes. */
export const commonFlags: readonly Flag[] = [
  { kind: 'switch', name: 'json', help: message('cli.flagJson') },
  { kind: 'switch', name: 'help', help: message('cli.flagHelp') },
];

export function overviewText(commands: readonly Pick<Command, 'name' | 'summary'>[], locale: Locale): string {
  const rows = commands.map((command) => [`  ${command.name}`, translate(locale, command.summary)]);
  return [
    translate(locale, message('cli.overviewUsage')),
    '',
    translate(locale, message('cli.overviewAbout')),
    '',
    ...columns(rows),
    '',
    translate(locale, message('cli.overviewMore')),
    translate(locale, message('cli.exitCodes')),
    '',
  ].join('\n');
}

export function commandText(command: Command, locale: Locale): string {
  const places = command.positionals.map(({ name, required }) => (required ? name : `[${name}]`));
  const usage = ['headroom', command.name, ...places, ...(command.flags.length > 0 ? ['[--…]'] : [])].join(
    ' ',
  );
  const rows = [...command.flags, ...commonFlags].map((flag) => [
    flag.kind === 'value' ? `  --${flag.name} ${flag.placeholder}` : `  --${flag.name}`,
    translate(locale, flag.help),
  ]);
  return [
    translate(locale, message('cli.commandUsage', { usage })),
    '',
    translate(locale, command.summary),
    ...(command.note === undefined ? [] : [translate(locale, command.note)]),
    '',
    ...columns(rows),
    '',
    translate(locale, message('cli.exitCodes')),
    '',
  ].join('\n');
}
