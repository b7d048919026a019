import { expect, test } from 'vitest';
import { valueOf } from './harness/calls';
import { launchApp, type RunningApp } from './harness/launchApp';
import { hideWindow } from './harness/nativeWindow';
import { desktopPortsOf } from './harness/desktopPorts';
import { DoctorPage } from './pages/DoctorPage';
import { WorkstationPage } from './pages/WorkstationPage';

/**
 * What each scene raises in the real app: notifications and the menu of the tray. Scenes are played as a time-lapse
 * and changed in one app, so that minutes of a scene take seconds.
 */

const oomOfTheStory =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.69 GiB of which 40.00 MiB is free. Including non-PyTorch memory, this process has 23.40 GiB memory in use. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.';

interface Expected {
  readonly scene: string;
  /** How many seconds of the scene are watched. */
  readonly seconds: number;
  /** All that is announced, as the notifications say it, in the order of their rules' names. */
  readonly notices: readonly RegExp[];
  /** A rule that may announce something, too: it hangs on how long the start took. */
  readonly perhaps?: string;
  /** The problems that its Snapshots tell. */
  readonly problems?: readonly string[];
  /** The lines of the tray's menu between showing the window and snoozing, at the end. */
  readonly menu: readonly (string | RegExp)[];
}

/** Lines of the menu for cards from `first` on. */
function cards(first: number, name: string, ...levels: readonly string[]): readonly string[] {
  return levels.map((level, place) => `Card ${first + place}, ${name}: ${level}`);
}

function times(count: number, level: string): readonly string[] {
  return Array.from({ length: count }, () => level);
}

/** Scenes whose troubles last seconds. */
const eventful: readonly Expected[] = [
  {
    scene: 'orphaned-ranks',
    seconds: 20,
    notices: [
      /^stale-job: Stale job holds memory \(simulated\): train_gpt\.py is stale and holds 38\.6 GiB\.$/,
    ],
    menu: [
      ...cards(0, 'RTX 4090', '19 of 24 GiB', '19 of 24 GiB', '9 of 24 GiB', '0 of 24 GiB'),
      '-',
      'Stale: train_gpt.py, 38.6 GiB',
    ],
  },
  {
    scene: 'stray-contexts',
    seconds: 20,
    notices: [
      /^uneven: Uneven use of cards \(simulated\): 3 ranks of train_ddp\.py keep bare contexts on card 0: 1\.4 GiB together\.$/,
    ],
    menu: cards(0, 'RTX 4090', '20 of 24 GiB', ...times(3, '18 of 24 GiB')),
  },
  {
    scene: 'dataparallel-imbalance',
    seconds: 20,
    notices: [
      /^uneven: Uneven use of cards \(simulated\): train_dp\.py holds 21\.8 GiB on card 0 and 12\.5 GiB on each of the others\.$/,
    ],
    menu: cards(0, 'RTX 3090', '22 of 24 GiB', ...times(3, '13 of 24 GiB')),
  },
  {
    scene: 'card-lost',
    seconds: 24,
    notices: [/^card-lost: Card lost \(simulated\): Card 2 no longer answers\.$/],
    perhaps: 'hot', // It is hot for twelve seconds before, of which ten must be seen.
    problems: ['card-lost'],
    menu: cards(0, 'RTX 3090', '17 of 24 GiB', '17 of 24 GiB', 'does not answer', '10 of 24 GiB'),
  },
  // Cards that cannot be read are no alert: the trouble stands where the cards would be.
  {
    scene: 'driver-mismatch',
    seconds: 38,
    notices: [],
    problems: ['driver-mismatch'],
    menu: cards(0, 'RTX 4090', '14 of 24 GiB', '0 of 24 GiB'),
  },
];

/** Scenes that are watched for minutes. */
const lasting: readonly Expected[] = [
  {
    scene: 'eight-healthy',
    seconds: 600,
    notices: [],
    menu: cards(0, 'A100-SXM4-80GB', ...times(8, '60 of 80 GiB')),
  },
  {
    scene: 'mig',
    seconds: 300,
    notices: [],
    menu: cards(0, 'A100-SXM4-80GB', '38 of 80 GiB', '70 of 80 GiB'),
  },
  {
    scene: 'sixteen-cards',
    seconds: 300,
    notices: [],
    menu: [
      ...cards(0, 'H100 80GB HBM3', ...times(8, '70 of 80 GiB')),
      ...cards(8, 'H100 80GB HBM3', ...times(4, '51 of 80 GiB')),
      ...cards(12, 'H100 80GB HBM3', ...times(2, '38 of 80 GiB'), ...times(2, '24 of 80 GiB')),
    ],
  },
  // Its process ends at second 645 and is begun again at second 675.
  {
    scene: 'slow-leak',
    seconds: 690,
    notices: [
      /^died-on-full-card: Likely out of memory \(simulated\): train_unet\.py ended while card 0 was full \(2\d\.\d GiB of 24\.0 GiB\): likely out of memory\.$/,
      /^nearly-full: Card nearly full \(simulated\): Card 0 is 9\d % full, /,
      /^will-fill: Card will be full \(simulated\): train_unet\.py on card 0 has grown evenly for \d min, 1\d MiB a second: full in about \d min\.$/,
    ],
    menu: [/^Card 0, RTX 3090: \d+ of 24 GiB$/, 'Card 1, RTX 3090: 11 of 24 GiB'],
  },
];

const currentOf = (app: RunningApp) => valueOf(app, 'snapshot.current', null);

/** What a busy machine tells of itself: the detailed report of nvidia-smi did not come in time. */
const late = 'smi-details-missing';

/** Plays a scene for so many of its seconds, and holds what it shows outside of the window against what it should. */
async function expectScene(app: RunningApp, expected: Expected): Promise<void> {
  const { scene, seconds, perhaps, problems = [] } = expected;
  const ports = desktopPortsOf(app.electron);
  const before = (await ports.notices()).length;
  await valueOf(app, 'scenes.choose', { sceneId: scene });
  let beginsAt: number | null = null;
  const told = new Set<string>();
  await expect
    .poll(async () => {
      const current = await currentOf(app);
      if (current?.source.sceneId !== scene) return 0;
      beginsAt ??= current.time;
      for (const { code } of current.problems) if (code !== late) told.add(code);
      return current.time - beginsAt;
    })
    .toBeGreaterThan(seconds);
  const notices = (await ports.notices())
    .slice(before)
    .filter(({ id }) => id.split('/')[0] !== perhaps)
    .map(({ id, title, body }) => `${id.split('/')[0] ?? ''}: ${title}: ${body}`)
    .sort();
  expect({ scene, notices, told: [...told] }).toEqual({
    scene,
    notices: expected.notices.map((notice): unknown => expect.stringMatching(notice)),
    told: problems,
  });
  // Polled: after a failure of nvidia-smi the pauses before it is asked again are real seconds, whatever the speed.
  await expect
    .poll(async () => {
      const { labels } = await ports.tray();
      return labels.slice(2, labels.indexOf('Snooze alerts for 1 hour') - 1);
    })
    .toEqual(
      expected.menu.map((line): unknown => (line instanceof RegExp ? expect.stringMatching(line) : line)),
    );
}

async function inTimeLapse(speed: number): Promise<RunningApp> {
  const app = await launchApp({ scene: 'smi-hangs', env: { HEADROOM_SCENE_SPEED: String(speed) } });
  await new WorkstationPage(app.window).waitForCards();
  await hideWindow(app);
  return app;
}

test('scenes whose troubles last seconds raise exactly what they should', async () => {
  const app = await inTimeLapse(6);
  for (const expected of eventful) await expectScene(app, expected);
});

test('minutes of healthy machines raise nothing, those of a leak its forecast and its end', async () => {
  const app = await inTimeLapse(60);
  for (const expected of lasting) await expectScene(app, expected);
});

test('the menu of the tray is made once while nothing changes that it tells', async () => {
  const app = await launchApp({ scene: 'eight-healthy', env: { HEADROOM_SCENE_SPEED: '60' } });
  const ports = desktopPortsOf(app.electron);
  await expect.poll(async () => (await ports.tray()).labels.join()).toContain('Card 7');
  const before = (await ports.tray()).changes;
  const from = (await currentOf(app))?.time ?? 0;
  await expect.poll(async () => ((await currentOf(app))?.time ?? 0) - from).toBeGreaterThan(120);
  expect((await ports.tray()).changes).toEqual(before);
});

test('the story raises its alerts, and the click on its end opens the doctor filled in', async () => {
  const app = await inTimeLapse(8);
  const ports = desktopPortsOf(app.electron);
  await valueOf(app, 'scenes.choose', { sceneId: 'two-3090-oom' });
  const rules = async () => {
    const ids = (await ports.notices()).map(({ id }) => id.split('/')[0] ?? '');
    return [...new Set(ids)].sort();
  };
  // The process ends at second 46; the end of the next attempt, at 136, is foreseen at 112.
  await expect.poll(rules).toEqual(['died-on-full-card', 'nearly-full', 'uneven', 'will-fill']);

  const died = (await ports.notices()).findLast(({ id }) => id.startsWith('died-on-full-card/'));
  await ports.clickNotice(died?.id ?? '');
  const doctor = new DoctorPage(app.window);
  await app.window.getByRole('region', { name: /^Seen by Headroom at .*: Out of GPU memory$/ }).waitFor();
  expect(await doctor.cause.innerText()).toMatch(/^Likely: The process’s own tensors fill the card/);
  expect(await doctor.bar.getAttribute('aria-label')).toMatch(
    /^Card of 24\.0 GiB: This process 23\.\d GiB, Outside this process /,
  );
  const report = await doctor.report.innerText();
  for (const seen of [
    /Headroom saw it: finetune\.py \(pid \d+\) ended on card 0 while 23\.\d GiB of 24\.0 GiB were in use\./,
    /The process itself held 23\.\d GiB at its last reading, 9\d % of the card/,
    /Its command was: .*finetune\.py --model Llama-2-13b-hf --device cuda:0/,
    /Everything is on card 0: finetune\.py holds /,
    /At that moment .* host memory was in use\./,
    /What to change/,
  ])
    expect(report).toMatch(seen);

  await doctor.submit(oomOfTheStory);
  await expect.poll(() => doctor.report.innerText()).toMatch(/Headroom saw it: finetune\.py \(pid \d+\)/);
  expect(app.complaints()).toEqual([]);
});
