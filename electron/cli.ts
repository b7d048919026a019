/** The `headroom` command: wiring only. Each subcommand is one file in `commands/` and one entry in its table. */
import { version } from '../package.json';
import { dispatch } from './commands/dispatch';
import { processIo } from './commands/processIo';
import { commands } from './commands/table';

const words = process.argv.slice(2);
const io = processIo(commands.some(({ cleansUp, name }) => name === words[0] && cleansUp === true));

void dispatch(commands, words, io, version).then((code) => process.exit(code));
