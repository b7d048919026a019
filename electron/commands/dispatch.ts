/** From the words of a call to an exit code: finds the command, reads its flags, runs it, words its errors. */
import { closest } from '../../shared/closest';
import { message, type Message } from '../../shared/i18n/message';
import { translate } from '../../shared/i18n/translate';
import { printable } from '../../shared/printable';
import { parseArguments } from './arguments';
import { CommandError, type Command, type CommandEntry, type CommandIo, type ExitCode } from './command';
import { commandText, commonFlags, overviewText } from './help';

/** sysexits.h's EX_SOFTWARE: a fault of this program, never to be taken for a negative answer (1). */
const internalFault = 70;
/** What shells report for a program ended by SIGINT. */
const interrupted = 130;

/**
 * Runs `words` (without the program's name) and answers the exit code. Never throws: bad use becomes one line on
 * stderr and 2, a fault of ours one line and 70, an interrupted run 130.
 */
export async function dispatch(
  commands: readonly CommandEntry[],
  words: readonly string[],
  io: CommandIo,
  version: string,
): Promise<number> {
  const [first, ...rest] = words;
  if (first === undefined) {
    await io.stderr.write(overviewText(commands, io.locale));
    return 2;
  }
  if (first === '--version') {
    await io.stdout.write(`headroom ${version}\n`);
    return 0;
  }
  if (first === '--help' || first === 'help') return help(commands, rest[0], io);
  const command = commands.find(({ name }) => name === first);
  if (command === undefined) return refuse(io, 'headroom', unknownCommand(commands, first));
  try {
    return await runCommand(await command.load(), rest, io);
  } catch (error) {
    if (error instanceof CommandError) return refuse(io, `headroom ${command.name}`, error.text);
    if (io.signal.aborted) return interrupted;
    await io.stderr.write(
      `headroom ${command.name}: ${translate(io.locale, message('cli.internalFault', { reason: printable(String(error)) }))}\n`,
    );
    if (io.environment['HEADROOM_DEBUG'] !== undefined && error instanceof Error)
      await io.stderr.write(`${error.stack ?? ''}\n`);
    return internalFault;
  }
}

async function runCommand(command: Command, words: readonly string[], io: CommandIo): Promise<ExitCode> {
  const args = parseArguments(words, [...command.flags, ...commonFlags], command.positionals);
  if (args.has('help')) {
    await io.stdout.write(commandText(command, io.locale));
    return 0;
  }
  return command.run(args, io);
}

async function help(
  commands: readonly CommandEntry[],
  name: string | undefined,
  io: CommandIo,
): Promise<ExitCode> {
  const command = commands.find((candidate) => candidate.name === name);
  if (name !== undefined && command === undefined)
    return refuse(io, 'headroom', unknownCommand(commands, name));
  await io.stdout.write(
    command === undefined ? overviewText(commands, io.locale) : commandText(await command.load(), io.locale),
  );
  return 0;
}

function unknownCommand(commands: readonly CommandEntry[], name: string): Message {
  const near = closest(
    name,
    commands.map((command) => command.name),
  );
  return near === null
    ? message('cli.unknownCommand', { command: name })
    : message('cli.unknownCommandNear', { command: name, near });
}

async function refuse(io: CommandIo, who: string, text: Message): Promise<2> {
  await io.stderr.write(`${who}: ${printable(translate(io.locale, text))}\n`);
  return 2;
}
