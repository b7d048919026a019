/** `headroom stale`: the jobs that look like leftovers, why, and what freeing them would end. */
import { message } from '../../shared/i18n/message';
import { isFreeable } from '../../shared/jobs/stale/freeing';
import { ownProtection } from '../ending/protectedProcesses';
import type { Command } from './command';
import { leftoverJson, leftoverLines, leftoverOf } from './leftovers';
import { unexplainedLines, unexplainedMemory } from './unexplained';
import { liveSnapshots } from './liveSnapshots';
import { chosenScene, observeMs, unreadCards, whileWatching, type Live } from './observe';
import { writeJson, writeLine } from './output';

/** The command over a source of live Snapshots; tests put their own in its place and look shorter. */
export const staleOver = (live: Live, lookMs: number): Command => ({
  name: 'stale',
  cleansUp: true,
  summary: message('ending.staleSummary'),
  positionals: [],
  flags: [{ kind: 'value', name: 'simulate', placeholder: 'SCENE', help: message('ending.flagSimulate') }],
  async run(args, io) {
    const sceneId = chosenScene(args);
    const snapshot = await whileWatching(live, sceneId, lookMs, io.signal, (latest) =>
      Promise.resolve(latest()),
    );
    const protection = ownProtection();
    const leftovers = snapshot.jobs.filter(isFreeable).map((job) => leftoverOf(job, snapshot, protection));
    const unread = unreadCards(snapshot, io.locale);
    const unexplained = unexplainedMemory(snapshot);
    if (args.has('json')) await writeJson(io, { jobs: leftovers.map(leftoverJson), unexplained });
    else if (leftovers.length === 0) {
      // Where nothing could be read, nothing is known of stale jobs.
      if (unread === null) await writeLine(io, message('ending.noneFound'));
    } else
      for (const leftover of leftovers)
        for (const line of [...leftoverLines(leftover, io.locale, snapshot.time), ''])
          await writeLine(io, line);
    if (!args.has('json')) for (const line of unexplainedLines(unexplained)) await writeLine(io, line);
    if (unread !== null) {
      await io.stderr.write(`${unread}\n`);
      return 1;
    }
    return leftovers.some(({ job }) => job.verdict === 'stale') ? 1 : 0;
  },
});

export const stale = staleOver(liveSnapshots, observeMs);
