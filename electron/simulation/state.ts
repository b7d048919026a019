/**
 * The folder through which a simulated workstation and its stand-in nvidia-smi agree: which scene, since when, and
 * which real processes stand behind its programs. Each program writes its own line of /proc/PID/stat under `pids/`,
 * so that a reused pid is not taken for it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SceneClock {
  readonly sceneId: string;
  /** Milliseconds since the epoch at which the scene was at `offsetSeconds`. */
  readonly startedAt: number;
  readonly offsetSeconds: number;
  /** Scene seconds a second; tests play a scene faster. */
  readonly speed: number;
}

/** The environment variable that tells the stand-in its folder. */
export const sceneFolderVariable = 'HEADROOM_SCENE_FOLDER';
export const sceneFile = 'scene.json';
export const pidsFolder = 'pids';
export const devicesFolder = 'dev';

/** Scene seconds at `now` (milliseconds since the epoch). */
export function sceneSeconds(clock: SceneClock, now: number): number {
  return clock.offsetSeconds + ((now - clock.startedAt) / 1000) * clock.speed;
}

/** Reads the clock that the simulated workstation wrote. Throws where the folder is gone or holds something else. */
export function readClock(folder: string): SceneClock {
  const value: unknown = JSON.parse(readFileSync(join(folder, sceneFile), 'utf8'));
  if (
    typeof value === 'object' &&
    value !== null &&
    'sceneId' in value &&
    'startedAt' in value &&
    'offsetSeconds' in value &&
    'speed' in value &&
    typeof value.sceneId === 'string' &&
    typeof value.startedAt === 'number' &&
    typeof value.offsetSeconds === 'number' &&
    typeof value.speed === 'number'
  )
    return {
      sceneId: value.sceneId,
      startedAt: value.startedAt,
      offsetSeconds: value.offsetSeconds,
      speed: value.speed,
    };
  throw new Error(`${join(folder, sceneFile)} is not the clock of a scene`);
}

/** The pids of the programs that still live, by key. A program that has not registered yet is left out. */
export function livePids(folder: string): ReadonlyMap<string, number> {
  const live = new Map<string, number>();
  for (const key of readdirSync(join(folder, pidsFolder))) {
    const pid = registeredProcess(readFileSync(join(folder, pidsFolder, key), 'latin1'));
    if (pid !== null) live.set(key, pid);
  }
  return live;
}

const invented = ' invented';

/** The registration of a program that no process stands behind. */
export function inventedRegistration(pid: number): string {
  return `${pid}${invented}`;
}

/**
 * The pid in a registration, which is the process's own line of /proc/PID/stat or, where there is no /proc, its bare
 * pid; null where that process has ended or its pid belongs to another one now.
 */
export function registeredProcess(line: string): number | null {
  const pid = Number.parseInt(line, 10);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  if (line.endsWith(invented)) return pid;
  const startTime = startTimeOf(line);
  if (startTime === null) return answersSignal(pid) ? pid : null;
  try {
    const now = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const state = now.charAt(now.lastIndexOf(')') + 2);
    // The memory of a zombie has gone back to the card.
    return startTimeOf(now) === startTime && state !== 'Z' && state !== 'X' ? pid : null;
  } catch {
    // No such process any more.
    return null;
  }
}

/** Field 22 of /proc/PID/stat, counted after the last bracket, because a name may hold brackets and blanks. */
function startTimeOf(line: string): string | null {
  const bracket = line.lastIndexOf(')');
  return bracket < 0 ? null : (line.slice(bracket + 2).split(' ')[19] ?? null);
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: it ended. EPERM cannot be: the simulated workstation and the stand-in run as the same user.
    return false;
  }
}
