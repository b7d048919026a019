/** `headroom inspect FILE|-`: any saved output of nvidia-smi as cards, processes, links and problems. */
import { message } from '../../shared/i18n/message';
import { MiB } from '../../shared/units';
import { CommandError, type Command } from './command';

/** The largest real output (`-q -x` of 16 cards with every clock) is about 2 MiB; a looped log may be long. */
const maxInputBytes = 64 * MiB;

export const inspect: Command = {
  name: 'inspect',
  summary: message('cli.inspectSummary'),
  positionals: [{ name: 'FILE|-', required: true }],
  flags: [],
  async run(args, io) {
    await io.readText(args.positionals[0] ?? '-', maxInputBytes);
    throw new CommandError(message('cli.inspectUnknown', { file: args.positionals[0] ?? '-' }));
  },
};
