/** `headroom scenes`: what the simulated workstation can play. */
import { message } from '../../shared/i18n/message';
import { translate } from '../../shared/i18n/translate';
import { sceneSummaries } from '../simulation/scenes';
import type { Command } from './command';
import { columns, writeJson, writeLine } from './output';

export const scenesCommand: Command = {
  name: 'scenes',
  summary: message('watch.scenesSummary'),
  positionals: [],
  flags: [],
  async run(args, io) {
    if (args.has('json')) {
      await writeJson(io, sceneSummaries);
      return 0;
    }
    const rows = sceneSummaries.map(({ id, title, description }) => [
      id,
      translate(io.locale, title),
      translate(io.locale, description),
    ]);
    for (const line of columns(rows)) await writeLine(io, line);
    return 0;
  },
};
