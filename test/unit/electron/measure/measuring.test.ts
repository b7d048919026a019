import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ScriptedDialogs } from '../../../../electron/desktop/ports/scriptedDialogs';
import { CannotMeasure } from '../../../../electron/measure/cannotMeasure';
import { LazyMeasuring } from '../../../../electron/measure/lazyMeasuring';
import { Measuring, type MeasuringServices } from '../../../../electron/measure/measuring';
import { readRankLogs } from '../../../../electron/receipts/runFolder';
import type { LaunchPlan } from '../../../../shared/launch/plan';
import { planId } from '../../../../shared/launch/savedPlan';
import type { MeasureState } from '../../../../shared/measure/state';
import { measuredReceipt } from '../../../../shared/receipts/keeping';
import type { Receipt } from '../../../../shared/receipts/types';
import { basePlan, variants } from '../../shared/launch/variants';
import { cards } from '../../shared/receipts/builders';
import { emptySnapshot, FakeLog } from '../fakes';
import { isRunning, temporaryFolder, until } from '../sensing/support';
import { fakePython, type FakePython } from './fakePython';

const patient = { timeoutMs: 60_000, maxBytes: 1024 * 1024, graceMs: 200 };
const [rank = { allocatedPeakBytes: 0, reservedPeakBytes: 0, contextBytes: 0, processBytes: 0 }] =
  basePlan.planned;
const ddp: LaunchPlan = { ...(variants['ddp'] ?? basePlan), planned: [rank, rank] };

let dialogs: ScriptedDialogs;
let told: MeasureState[];
let kept: Receipt[];
let remembered: string[];
let folder: string;
let python: string | null;
let readOnly: boolean;
let cardCount: number;

const open = (more: Partial<MeasuringServices> = {}): Measuring => new Measuring({ ...services(), ...more });

function services(): MeasuringServices {
  return {
    pythonPath: () => python,
    savePythonPath: (file) => (python = file),
    isReadOnly: () => readOnly,
    latest: () => ({
      ...emptySnapshot(1),
      driverVersion: '580.1',
      cards: cards(cardCount).map((card) => ({ ...card, lost: false })),
    }),
    dialogs,
    locale: () => 'en',
    platform: 'linux',
    appVersion: '0.1.0',
    temporaryFolder: folder,
    environment: { ...process.env, ELECTRON_RUN_AS_NODE: '1', HEADROOM_SCENE: 'x' },
    limits: { looking: patient, measuring: patient },
    readLogs: readRankLogs,
    keep: (plan, startedAt, logs, end) => {
      const receipt = measuredReceipt(plan, null, {
        startedAt,
        endedAt: startedAt + 1,
        end,
        logs,
        snapshot: null,
      });
      kept.push(receipt);
      return receipt;
    },
    remember: (plan) => remembered.push(plan.id),
    clock: () => Date.now() / 1000,
    log: new FakeLog(),
    onChange: (state) => told.push(state),
  };
}

/** Starts with the given Python and Yes, and waits for what comes of it. */
async function outcome(
  measuring: Measuring,
  plan: LaunchPlan,
  given: FakePython,
): Promise<MeasureState['run']> {
  python = fakePython(given);
  dialogs.answerNext('measure');
  await measuring.start(plan, null);
  await until('the end of the measurement', () => measuring.state().run?.kind === 'done', 60_000);
  return measuring.state().run;
}

const keysOf = (run: MeasureState['run']) => (run?.kind === 'done' ? run.texts.map(({ key }) => key) : []);
/** What the fake wrote before its end; a busy machine may not have come so far. */
const pidsOf = (): readonly number[] => {
  const file = path.join(path.dirname(python ?? ''), 'pids');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
};

beforeEach(() => {
  dialogs = new ScriptedDialogs();
  told = [];
  kept = [];
  remembered = [];
  folder = temporaryFolder();
  python = null;
  readOnly = false;
  cardCount = 2;
});

describe('measuring a plan', () => {
  it('shows in full what it will run, runs it after a yes, keeps the receipt and leaves no file', async () => {
    const measuring = open();
    const run = await outcome(measuring, ddp, {});
    expect(run).toMatchObject({ planId: planId(ddp), level: 'info', output: null });
    expect(keysOf(run)).toEqual(['measure.measured']);

    const [question] = dialogs.asked;
    expect(question).toMatchObject({
      id: 'measure',
      text: 'Run two steps of tiny-llama with your Python?',
      safeButtonId: 'cancel',
    });
    const detail = question !== undefined && 'detail' in question ? (question.detail ?? '') : '';
    expect(detail).toContain(
      `${python} -m torch.distributed.run --standalone --nproc-per-node=2 train.py --steps 2 --report-every 1`,
    );
    expect(detail).toContain('HF_HUB_OFFLINE=1');
    expect(detail).toContain('It is ended after 60 sec at the latest');

    expect(remembered).toEqual([planId(ddp)]);
    expect(kept).toMatchObject([
      {
        source: 'measurement',
        end: 'finished',
        ranks: [
          { allocatedPeakBytes: 101_200_000, reservedBytes: 0.25 * 2 ** 30 },
          { allocatedPeakBytes: 101_200_000, reservedBytes: 0.25 * 2 ** 30 },
        ],
      },
    ]);
    expect(readdirSync(folder)).toEqual([]);
    const phases = told.flatMap(({ run: one }) => (one?.kind === 'running' ? [one.phase] : [one?.kind]));
    expect([...new Set(phases)]).toEqual(['question', undefined, 'looking', 'measuring', 'done']);
  });

  it('gives the program a folder of its own, the plan’s mark, no downloads, and nothing of ours', async () => {
    await outcome(open(), basePlan, {});
    const seen = JSON.parse(readFileSync(path.join(path.dirname(python ?? ''), 'environment'), 'utf8'));
    expect(seen).toMatchObject({
      HEADROOM_PLAN: planId(basePlan),
      HF_HUB_OFFLINE: '1',
      TRANSFORMERS_OFFLINE: '1',
    });
    expect(seen.cwd).toContain(path.join(folder, 'headroom-measure-'));
    expect(seen).not.toHaveProperty('ELECTRON_RUN_AS_NODE');
    expect(seen).not.toHaveProperty('HEADROOM_SCENE');
  });

  it('starts nothing without a yes', async () => {
    const measuring = open();
    python = fakePython({});
    await measuring.start(ddp, null);
    expect([measuring.state().run, remembered, dialogs.asked.length]).toEqual([null, [], 1]);
    expect(existsSync(path.join(path.dirname(python), 'environment'))).toBe(false);
  });

  it('asks for a Python first where none is chosen, and stops there when none is', async () => {
    const measuring = open();
    await measuring.start(ddp, null);
    expect([measuring.state(), dialogs.asked.map(({ id }) => id)]).toEqual([
      { python: null, run: null },
      ['choose-python'],
    ]);
  });

  it('keeps the Python that was chosen in main’s own dialog', async () => {
    const measuring = open();
    dialogs.answerNext('/opt/venv/bin/python');
    expect((await measuring.choosePython()).python).toBe('/opt/venv/bin/python');
  });
});

describe('what main holds before anybody measures', () => {
  it('tells the chosen Python, and loads the rest for the first question', async () => {
    const lazy = new LazyMeasuring(services());
    python = '/usr/bin/python3';
    expect([lazy.state(), lazy.stop()]).toEqual([
      { python, run: null },
      { python, run: null },
    ]);
    dialogs.answerNext('/opt/venv/bin/python');
    expect((await lazy.choosePython()).python).toBe('/opt/venv/bin/python');
    cardCount = 0;
    await expect(lazy.start(ddp, null)).rejects.toMatchObject({ reason: { key: 'measure.noCards' } });
    await lazy.dispose();
  });
});

describe('a measurement that comes to nothing', () => {
  it('says what the Python lacks, and starts no training', async () => {
    const run = await outcome(open(), basePlan, { missing: ['torch', 'transformers'] });
    expect(keysOf(run)).toEqual(['measure.missing']);
    expect([existsSync(path.join(path.dirname(python ?? ''), 'pids')), remembered]).toEqual([false, []]);
  });

  it('builds no model where PyTorch sees too few cards', async () =>
    expect(keysOf(await outcome(open(), ddp, { cards: 1 }))).toEqual(['measure.torchCards']));

  it('keeps what was printed for the doctor where the run failed', async () => {
    const run = await outcome(open(), basePlan, { training: 'out-of-memory' });
    expect(keysOf(run)).toEqual(['measure.failed']);
    expect(run?.kind === 'done' ? run.output : null).toContain('torch.OutOfMemoryError: CUDA out of memory.');
    expect(kept[0]?.end).toBe('failed');
  });

  it('says so where the run told no number', async () =>
    expect(keysOf(await outcome(open(), basePlan, { training: 'silent' }))).toEqual(['measure.noNumbers']));

  it('names a program that cannot be started', async () => {
    const measuring = open();
    python = path.join(folder, 'no-python');
    dialogs.answerNext('measure');
    await measuring.start(basePlan, null);
    await until('the end', () => measuring.state().run?.kind === 'done');
    expect(keysOf(measuring.state().run)).toEqual(['measure.notStarted']);
  });
});

describe('an end by force', () => {
  const impatient = { ...patient, timeoutMs: 4_000 };

  it('comes after the time limit, also for processes with a session of their own that are deaf to a polite one', async () => {
    const limits = { looking: patient, measuring: impatient };
    const run = await outcome(open({ limits }), basePlan, { training: 'hang' });
    expect(keysOf(run)).toEqual(['measure.timedOut']);
    expect(pidsOf().some(isRunning)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('comes when a program prints without end', async () => {
    const run = await outcome(open(), basePlan, { training: 'flood' });
    expect(keysOf(run)).toEqual(['measure.flooded']);
    expect(pidsOf().some(isRunning)).toBe(false);
  });

  it('comes when a person stops it, and with Headroom’s own end', async () => {
    for (const end of ['stop', 'dispose'] as const) {
      // Headroom's own end does not wait as long as a person would.
      const grace = { ...patient, graceMs: end === 'stop' ? 200 : 600_000 };
      const measuring = open({ limits: { looking: patient, measuring: grace } });
      python = fakePython({ training: 'hang' });
      dialogs.answerNext('measure');
      await measuring.start(basePlan, null);
      const lines = () => {
        const { run } = measuring.state();
        return run?.kind === 'running' ? run.lines : [];
      };
      await until('the first line', () => lines().includes('hanging'), 60_000);
      await expect(measuring.start(basePlan, null)).rejects.toMatchObject({
        reason: { key: 'measure.busy' },
      });
      if (end === 'stop') {
        expect(measuring.stop().run).toMatchObject({ kind: 'running', stopping: true });
        await until('the end', () => measuring.state().run?.kind === 'done', 60_000);
      } else await measuring.dispose();
      expect(keysOf(measuring.state().run)).toEqual(['measure.stopped']);
      expect([pidsOf().length, pidsOf().some(isRunning)]).toEqual([2, false]);
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});

describe('nothing is measured', () => {
  const refusal = (measuring: Measuring, plan: LaunchPlan) =>
    measuring.start(plan, null).then(
      () => null,
      (error: unknown) => (error instanceof CannotMeasure ? [error.code, error.reason.key] : error),
    );

  it('in read-only mode, also when it was switched on while the question stood', async () => {
    readOnly = true;
    expect(await refusal(open(), ddp)).toEqual(['read-only', 'measure.readOnly']);
    expect(dialogs.asked).toEqual([]);
    readOnly = false;
    python = fakePython({});
    const measuring = open({
      dialogs: {
        ask: () => {
          readOnly = true;
          return Promise.resolve('measure');
        },
        chooseFile: () => Promise.resolve(null),
        chooseFolder: () => Promise.resolve(null),
      },
    });
    expect(await refusal(measuring, ddp)).toEqual(['read-only', 'measure.readOnly']);
    expect(measuring.state().run).toBeNull();
  });

  it('with fewer cards than the plan needs', async () => {
    cardCount = 1;
    expect(await refusal(open(), ddp)).toEqual(['failed', 'measure.tooFewCards']);
  });
});
