/**
 * The stand-in nvidia-smi: plays the scene of a folder through the command line, formats, loops and failures of the
 * real one. Built to one file and run with Node, or with the app's own binary as Node.
 */
import { observe } from './observe';
import type { Scene, SceneFailure } from './scene';
import { findScene } from './scenes';
import { parseSmiArguments, type SmiReport, type SmiRequest } from './smiArguments';
import { queryComputeApps, queryGpu, UnknownField, type SmiMoment } from './smiCsv';
import { dmon, list, longReport, pmon, table, topology, version } from './smiText';
import { queryXml } from './smiXml';
import { livePids, readClock, sceneFolderVariable, sceneSeconds, type SceneClock } from './state';

/** How often a hung call looks whether the driver answers again. */
const hangPollMs = 100;
/** NVML_ERROR_GPU_IS_LOST. */
const gpuLostStatus = 15;
const noDevicesStatus = 6;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function main(args: readonly string[], folder: string): Promise<number> {
  const request = parseSmiArguments(args);
  if ('refusal' in request) return print(request.refusal, request.exitCode);
  const clock = readClock(folder);
  const scene = findScene(clock.sceneId);
  if (scene === null) return print(`no scene is called ${clock.sceneId}\n`, 2);
  for (let sample = 0; ; sample += 1) {
    const failure = await whatFails(scene, clock);
    // A loop that has begun keeps its connection to the driver; only new calls meet a mismatch.
    if (failure !== null && sample === 0) return print(failure.text, failure.exitCode);
    const status = answer(request, scene, folder, clock, sample);
    if (status !== 0) return status;
    const enough = 'samples' in request.report && request.report.samples === sample + 1;
    if (request.loopMs === null || enough) return 0;
    await pause(untilNextRound(request.loopMs, clock));
  }
}

/**
 * All loops of one scene answer at the same moments. The real ones run from their own starts; there the readings of
 * two loops lie apart by as much as their starts.
 */
function untilNextRound(loopMs: number, clock: SceneClock): number {
  const wait = loopMs - ((Date.now() - clock.startedAt) % loopMs);
  return wait < loopMs / 4 ? wait + loopMs : wait;
}

/** Waits out a hang; answers what the call then fails with, or null. */
async function whatFails(
  scene: Scene,
  clock: SceneClock,
): Promise<Extract<SceneFailure, { kind: 'message' }> | null> {
  for (;;) {
    const failure = scene.failureAt(sceneSeconds(clock, Date.now()));
    if (failure?.kind !== 'hang') {
      process.removeListener('SIGTERM', ignore);
      return failure;
    }
    // A call that waits inside the driver takes no polite signal.
    if (process.listenerCount('SIGTERM') === 0) process.on('SIGTERM', ignore);
    await pause(hangPollMs);
  }
}

function ignore(): void {
  return;
}

function answer(
  request: SmiRequest,
  scene: Scene,
  folder: string,
  clock: SceneClock,
  sample: number,
): number {
  const time = new Date();
  const all = observe(scene, sceneSeconds(clock, time.getTime()), livePids(folder));
  const asked = request.cards;
  const cards =
    asked === null
      ? all
      : all.filter(({ index, card }) =>
          [String(index), card.uuid, card.pciBusId].some((name) => asked.includes(name)),
        );
  if (cards.length === 0) return print('No devices were found\n', noDevicesStatus);
  const lost = cards.find(({ condition }) => condition.lost);
  if (lost !== undefined)
    return print(
      `Unable to determine the device handle for GPU${lost.card.pciBusId.slice(4)}: GPU is lost.  Reboot the system to recover this GPU\n`,
      gpuLostStatus,
    );
  try {
    return print(textOf(request.report, { scene, cards, time }, sample), 0);
  } catch (error) {
    if (error instanceof UnknownField) return print(error.message, 2);
    throw error;
  }
}

function textOf(report: SmiReport, moment: SmiMoment, sample: number): string {
  switch (report.kind) {
    case 'query-gpu':
      return queryGpu(moment, report.fields, {
        ...report.format,
        header: report.format.header && sample === 0,
      });
    case 'query-compute-apps':
      return queryComputeApps(moment, report.fields, {
        ...report.format,
        header: report.format.header && sample === 0,
      });
    case 'xml':
      return queryXml(moment);
    case 'text':
      return longReport(moment);
    case 'table':
      return table(moment);
    case 'list':
      return list(moment);
    case 'topology':
      return topology(moment);
    case 'version':
      return version(moment);
    case 'pmon':
      return pmon(moment, sample === 0);
    case 'dmon':
      return dmon(moment, sample === 0);
  }
}

function print(text: string, status: number): number {
  process.stdout.write(text);
  return status;
}

// Whoever read the answers has gone.
process.stdout.on('error', () => process.exit(0));

const folder = process.env[sceneFolderVariable];
if (folder === undefined) {
  process.stdout.write(`${sceneFolderVariable} is not set; this program only plays scenes for Headroom\n`);
  process.exitCode = 2;
} else {
  main(process.argv.slice(2), folder).then(
    (status) => {
      process.exitCode = status;
    },
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
