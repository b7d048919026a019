/**
 * A scene at work: its folder, its idle processes, and how to call the stand-in nvidia-smi on it. The processes end
 * with this process, however it ends: they wait on a fifo whose only writer is here.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorCode } from '../errors';
import { findExecutable, searchPath, type ProgramCall } from '../programs/programCall';
import {
  folderVariable,
  keyVariable,
  programsFolder,
  programText,
  scriptText,
  scriptWord,
} from './programScript';
import { python } from './programs';
import type { Scene, SceneProgram } from './scene';
import {
  devicesFolder,
  inventedRegistration,
  livePids,
  registeredProcess,
  pidsFolder,
  sceneFile,
  sceneFolderVariable,
  sceneSeconds,
  type SceneClock,
} from './state';

export interface SimulationOptions {
  /** The built stand-in, run with `nodePath`. */
  readonly standInPath: string;
  /** A Node, or the app's own binary, which acts as Node under ELECTRON_RUN_AS_NODE. */
  readonly nodePath: string;
  /** Where in the scene to begin, and how many scene seconds pass in a second. */
  readonly offsetSeconds?: number;
  readonly speed?: number;
}

const folderPrefix = 'headroom-scene-';
const ownerFile = 'owner';
const stepMs = 200;
/** So far ahead it is looked when a program begins or ends next. */
const aheadSteps = 50;
const endWaitMs = 2000;

export class SimulatedWorkstation {
  readonly nvidiaSmi: ProgramCall;
  /** What the device files of this workstation begin with, in place of `/dev/nvidia`. */
  readonly devicePrefix: string;
  private readonly children = new Set<ChildProcess>();
  private readonly wasAlive = new Map<string, boolean>();
  private readonly started = new Set<string>();
  private readonly families: readonly Family[];
  private timer: NodeJS.Timeout | null = null;
  private stopped: Promise<void> | null = null;

  private constructor(
    private readonly scene: Scene,
    private readonly folder: string,
    private readonly clock: SceneClock,
    private readonly aliveWriter: number | null,
    private readonly aliveReader: number | null,
    options: SimulationOptions,
  ) {
    this.devicePrefix = join(folder, devicesFolder, 'nvidia');
    this.nvidiaSmi = {
      command: options.nodePath,
      leadingArguments: [options.standInPath],
      environment: { ELECTRON_RUN_AS_NODE: '1', [sceneFolderVariable]: folder },
    };
    this.families = familiesOf(scene);
    this.step();
  }

  /** Prepares the folder and starts the processes. Throws where the temporary folder cannot be written. */
  static start(scene: Scene, options: SimulationOptions): SimulatedWorkstation {
    removeLeftFolders();
    const folder = mkdtempSync(join(tmpdir(), folderPrefix));
    writeFileSync(join(folder, ownerFile), ownStatLine());
    for (const name of [pidsFolder, devicesFolder, programsFolder]) mkdirSync(join(folder, name));
    const clock: SceneClock = {
      sceneId: scene.id,
      startedAt: Date.now(),
      offsetSeconds: options.offsetSeconds ?? 0,
      speed: options.speed ?? 1,
    };
    writeFileSync(join(folder, sceneFile), JSON.stringify(clock));
    if (!canPlayProcesses) {
      registerInvented(scene, folder);
      return new SimulatedWorkstation(scene, folder, clock, null, null, options);
    }
    writePrograms(scene, folder);
    const fifo = join(folder, 'alive');
    execFileSync(findExecutable('mkfifo', searchPath()) ?? '/usr/bin/mkfifo', ['-m', '600', fifo], {
      timeout: 5000,
    });
    // Opened for both first, so that neither open waits for the other side.
    const aliveWriter = openSync(fifo, 'r+');
    return new SimulatedWorkstation(scene, folder, clock, aliveWriter, openSync(fifo, 'r'), options);
  }

  /** Scene seconds now. */
  seconds(): number {
    return sceneSeconds(this.clock, Date.now());
  }

  /** The processes that live behind the scene, by key. */
  pids(): ReadonlyMap<string, number> {
    return livePids(this.folder);
  }

  /** Ends every process and removes the folder; resolves when they are gone. May be called again. */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async end(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.aliveWriter !== null) closeSync(this.aliveWriter);
    if (this.aliveReader !== null) closeSync(this.aliveReader);
    const deadline = Date.now() + endWaitMs;
    while (canPlayProcesses && this.pids().size > 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    if (canPlayProcesses) for (const pid of this.pids().values()) endProcess(pid);
    for (const child of this.children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Starts what begins to live and ends what should not live any more; what a person ended stays ended. The next step
   * comes when there is something to do again.
   */
  private step(): void {
    if (this.aliveReader === null) return;
    const seconds = this.seconds();
    for (const { root, family } of this.families) {
      const alive = family.some(({ aliveAt }) => aliveAt(seconds));
      if (alive && this.wasAlive.get(root.key) !== true) this.startProgram(root, this.aliveReader);
      this.wasAlive.set(root.key, alive);
    }
    const isDone = this.endWhatIsOver(seconds);
    this.timer = setTimeout(() => this.step(), isDone ? this.stepsUntilChange(seconds) * stepMs : stepMs);
    this.timer.unref();
  }

  /** Whether all that is over has ended. What was started and has not told its pid yet may still come. */
  private endWhatIsOver(seconds: number): boolean {
    const over = this.scene.programs.filter(({ aliveAt }) => !aliveAt(seconds));
    if (over.length === 0) return true;
    const pids = this.pids();
    const registered = new Set(readdirSync(join(this.folder, pidsFolder)));
    let isDone = true;
    for (const { key } of over) {
      const pid = pids.get(key);
      if (pid !== undefined) endProcess(pid);
      if (pid !== undefined || (this.wasStarted(key) && !registered.has(key))) isDone = false;
    }
    return isDone;
  }

  private wasStarted(key: string): boolean {
    return this.families.some(
      ({ root, family }) => this.started.has(root.key) && family.some((program) => program.key === key),
    );
  }

  /** Steps until the next at which a program begins or ends, or as far as it is looked ahead. */
  private stepsUntilChange(seconds: number): number {
    const { programs } = this.scene;
    const alive = programs.map(({ aliveAt }) => aliveAt(seconds));
    const stepSeconds = (stepMs / 1000) * this.clock.speed;
    for (let steps = 1; steps < aheadSteps; steps += 1) {
      const then = seconds + steps * stepSeconds;
      if (programs.some(({ aliveAt }, at) => aliveAt(then) !== alive[at])) return steps;
    }
    return aheadSteps;
  }

  private startProgram(program: SceneProgram, aliveReader: number): void {
    this.started.add(program.key);
    const [name = program.key, ...args] = program.command;
    const work = join(this.folder, 'work');
    const child = spawn(join(work, python), args, {
      argv0: name,
      cwd: work,
      stdio: [aliveReader, 'ignore', 'ignore'],
      detached: program.ownSession,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: process.env['HOME'] ?? '/',
        [folderVariable]: this.folder,
        [keyVariable]: program.key,
        ...program.environment,
      },
    });
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
    // A shell that cannot be started leaves the program out of the scene; the stand-in shows only what lives.
    child.once('error', () => this.children.delete(child));
  }
}

/** A program that the shell starts, with all that it starts itself. */
interface Family {
  readonly root: SceneProgram;
  readonly family: readonly SceneProgram[];
}

function familiesOf({ programs }: Scene): readonly Family[] {
  const familyOf = (program: SceneProgram): readonly SceneProgram[] => [
    program,
    ...programs.filter(({ parent }) => parent === program.key).flatMap(familyOf),
  ];
  return programs.filter(({ parent }) => parent === null).map((root) => ({ root, family: familyOf(root) }));
}

/** Real processes need a POSIX shell and a fifo; elsewhere the stand-in shows pids that belong to nobody. */
const canPlayProcesses = process.platform !== 'win32';

function writePrograms(scene: Scene, folder: string): void {
  const work = join(folder, 'work');
  mkdirSync(join(work, dirname(python)), { recursive: true });
  symlinkSync(realpathSync('/bin/sh'), join(work, python));
  for (const device of [
    'nvidiactl',
    'nvidia-uvm',
    ...scene.cards.map(({ minorNumber }) => `nvidia${minorNumber}`),
  ])
    writeFileSync(join(folder, devicesFolder, device), '');
  for (const program of scene.programs) {
    const children = scene.programs.filter(({ parent }) => parent === program.key);
    writeFileSync(join(folder, programsFolder, program.key), programText(program, children));
    const script = scriptWord(program.command);
    if (script === null) throw new Error(`${program.key}: its command line names no script`);
    mkdirSync(dirname(join(work, script)), { recursive: true });
    writeFileSync(join(work, script), scriptText);
  }
}

/** Where no process can be played, every program gets a pid above all that Windows gives out in practice. */
function registerInvented(scene: Scene, folder: string): void {
  scene.programs.forEach(({ key }, at) =>
    writeFileSync(join(folder, pidsFolder, key), inventedRegistration(4_000_000 + at * 4)),
  );
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It may have ended between the look and the signal.
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

function ownStatLine(): string {
  return process.platform === 'linux' ? readFileSync('/proc/self/stat', 'latin1') : String(process.pid);
}

/** Removes the folders of workstations whose process was killed before it could. */
function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
    const folder = join(tmpdir(), name);
    if (!ownerLives(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

function ownerLives(folder: string): boolean {
  try {
    const owner = readFileSync(join(folder, ownerFile), 'latin1');
    // An empty file is just being written.
    return owner === '' || registeredProcess(owner) !== null;
  } catch {
    // No owner yet: it is just being made; or not readable: another user's. Not ours to remove.
    return true;
  }
}
