import { describe, expect, it } from 'vitest';
import { commands } from '../../../electron/commands/table';

describe('the table of subcommands', () => {
  it.each(commands.map((entry) => [entry.name, entry] as const))(
    'says of %s what its own file says',
    async (_name, { load, ...entry }) => {
      const { name, summary, cleansUp } = await load();
      expect(entry).toEqual(cleansUp === undefined ? { name, summary } : { name, summary, cleansUp });
    },
  );
});
