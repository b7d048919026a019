/** What the command line and the environment ask of this start. */
export interface LaunchFlags {
  /** Chromium's sandbox is forced for every process. */
  readonly enforceSandbox: boolean;
  /** Start without a window, as a start at login does. */
  readonly hidden: boolean;
  /** The scene to play, from HEADROOM_SCENE. */
  readonly sceneId: string | null;
  /** How many times faster than the clock scenes pass, from HEADROOM_SCENE_SPEED; 1 without it. */
  readonly sceneSpeed: number;
  /** Nobody is there to answer the first set-up: `npm start` without a screen says so with HEADROOM_SETUP=skip. */
  readonly skipsSetUp: boolean;
}

/** Faster than this a scene would be over between two readings. */
const highestSpeed = 100;

/**
 * Reads the flags. `--no-sandbox` is believed in development only: as root Chromium's sandbox cannot start, and
 * forcing it makes every page crash (electron/electron#17972). A packaged app forces it whatever it is given.
 */
export function readLaunchFlags(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  isPackaged: boolean,
): LaunchFlags {
  const scene = environment['HEADROOM_SCENE']?.trim() ?? '';
  return {
    enforceSandbox: isPackaged || !argv.includes('--no-sandbox'),
    hidden: argv.includes('--hidden'),
    sceneId: scene === '' ? null : scene,
    sceneSpeed: readSpeed(environment['HEADROOM_SCENE_SPEED']),
    skipsSetUp: environment['HEADROOM_SETUP'] === 'skip',
  };
}

/** What is no number above zero is taken as 1: a scene that stands still would look like a machine that hangs. */
function readSpeed(text: string | undefined): number {
  const speed = Number(text ?? 1);
  return Number.isFinite(speed) && speed > 0 ? Math.min(speed, highestSpeed) : 1;
}
