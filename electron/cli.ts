/** The `headroom` command: wiring only. Each subcommand is one file in `commands/` and one line in this table. */
import { version } from '../package.json';
import { check } from './commands/check';
import type { Command } from './commands/command';
import { dispatch } from './commands/dispatch';
import { doctor } from './commands/doctor';
import { estimate } from './commands/estimate';
import { forecast } from './commands/forecast';
import { free } from './commands/free';
import { inspect } from './commands/inspect';
import { model } from './commands/model';
import { plan } from './commands/plan';
import { processIo } from './commands/processIo';
import { scenesCommand } from './commands/scenes';
import { snapshot } from './commands/snapshot';
import { stale } from './commands/stale';
import { watch } from './commands/watch';

const commands: readonly Command[] = [
  check,
  doctor,
  estimate,
  forecast,
  free,
  inspect,
  model,
  plan,
  scenesCommand,
  snapshot,
  stale,
  watch,
];

const words = process.argv.slice(2);
const io = processIo(commands.some(({ cleansUp, name }) => name === words[0] && cleansUp === true));

void dispatch(commands, words, io, version).then((code) => process.exit(code));
