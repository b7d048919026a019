/**
 * Makes Snapshots: nvidia-smi's readings, the processes and the host, put together once a tick. The same code runs in
 * the app's utility process and in the `headroom` command.
 */
import { assembleSnapshot } from '../../shared/snapshot/assembleSnapshot';
import { emptyMemory, enrichSnapshot, type SnapshotMemory } from '../../shared/snapshot/enrichSnapshot';
import type { WorkstationState } from '../../shared/snapshot/types';
import type { Problem } from '../../shared/gpu/types';
import type { HiddenPart, World } from '../../shared/jobs/world';
import type { Backends, SamplerBackend } from './backend';
import { gpuIndexByMinor } from './deviceMinors';
import { HostReader } from './hostReader';
import { intervalFor } from './interval';
import { ListeningPorts } from './listeningPorts';
import { LivingContainers } from './livingContainers';
import { NvidiaSmi, type SmiReadings } from './nvidiaSmi';
import { PortableProcessTable } from './portableProcessTable';
import { LinuxProcessTable, type ProcessTable } from './processTable';
import type { ProgramCall } from '../programs/programCall';
import type { Attention } from './source';
import { UnattributedMemory } from './unattributedMemory';

export interface SamplerOptions {
  readonly sceneId: string | null;
  readonly intervalSeconds: number;
  readonly nvidiaSmiPath: string | null;
  /** What can be read. One whose clock is faster has its seconds in the Snapshots, and is read so many times as often. */
  readonly backends: Backends;
  /** How long the first Snapshot waits for every part, so that it is whole; 1.5 seconds where it is not given. */
  readonly firstPatienceMs?: number;
  readonly onSnapshot: (snapshot: WorkstationState) => void;
  readonly log: (level: 'info' | 'warn' | 'error', text: string) => void;
}

/** The processes' list of the same round comes a moment after the cards'. */
const graceMs = 120;
const usualPatienceMs = 1500;
/** How long past its time a tick may be before one is made without new readings. */
const overdueMs = 1500;
/** What is wrong is told again so often, also where readings would come faster. */
const tellEveryMs = 1000;
/** How often it is asked whether the first Snapshot is whole. */
const firstLookMs = 100;
/** Between two looks whether a tick is overdue. */
const leastWatchMs = 250;
/** nvidia-smi may be installed while we run. */
const searchEveryMs = 10_000;
/** How long a window must be out of sight before readings slow down, which restarts the children. */
const calmAfterMs = 10_000;
/** Alerts and tray live on cards and their processes, which are read at every tick; the rest may be this much older. */
const slownessUnwatched = 3;
const procFolder = '/proc';

export class Sampler {
  /** What is read now; null between two. */
  private reading: { readonly backend: SamplerBackend; readonly processes: ProcessTable } | null = null;
  private smi: NvidiaSmi | null = null;
  private missing: readonly Problem[] = [];
  private readonly host = new HostReader();
  private readonly unattributed = new UnattributedMemory();
  private readonly listening = new ListeningPorts(procFolder);
  private readonly containers = new LivingContainers(procFolder);
  /** What the rules remember of the source that is open. */
  private memory: SnapshotMemory = emptyMemory;
  private attention: Attention = 'watched';
  private newest: WorkstationState | null = null;
  private madeAt = 0;
  private openedAt = 0;
  private searchedAt = 0;
  private graceTimer: NodeJS.Timeout | null = null;
  private watchTimer: NodeJS.Timeout | null = null;
  private calmTimer: NodeJS.Timeout | null = null;
  /** Between two sources nothing is made. */
  private closed = true;
  /** Where the faster clock of a time-lapse begins, so that its seconds never go back from one scene to the next. */
  private readonly begunAt = Date.now();
  private intervalSeconds: number;
  private nvidiaSmiPath: string | null;

  constructor(private readonly options: SamplerOptions) {
    this.intervalSeconds = options.intervalSeconds;
    this.nvidiaSmiPath = options.nvidiaSmiPath;
  }

  /** Starts the children; Snapshots follow. Throws where a scene is asked that does not exist or cannot be set up. */
  start(): void {
    void this.host.refresh(Date.now());
    this.open(this.options.sceneId);
  }

  /** The newest Snapshot made now, with whatever is known. */
  sample(): WorkstationState {
    return this.make(Date.now());
  }

  /** Whether every part has answered once, or is known not to: what one complete Snapshot needs. */
  isSettled(): boolean {
    const now = Date.now();
    if (this.host.latest([], now).memoryTotalBytes === null) return false;
    return this.smi === null ? this.missing.length > 0 : this.smi.isSettled();
  }

  /** A window that shows itself is served at once; one that hides may be back in a moment. */
  setAttention(attention: Attention): void {
    if (this.calmTimer !== null) clearTimeout(this.calmTimer);
    this.calmTimer = null;
    if (attention === 'background' && this.attention === 'watched') {
      this.calmTimer = setTimeout(() => this.applyAttention(attention), calmAfterMs / this.speed());
      return;
    }
    this.applyAttention(attention);
  }

  /** Changes the pace at once, and the program by a restart. */
  async configure(intervalSeconds: number, nvidiaSmiPath: string | null): Promise<void> {
    this.intervalSeconds = intervalSeconds;
    this.applyInterval();
    if (nvidiaSmiPath === this.nvidiaSmiPath) return;
    this.nvidiaSmiPath = nvidiaSmiPath;
    if (this.reading?.backend.origin.kind === 'machine') await this.choose(null);
  }

  /** Ends what runs and starts the scene, or the machine's own nvidia-smi. Throws where there is no such scene. */
  async choose(sceneId: string | null): Promise<void> {
    if (sceneId !== null && !this.options.backends.has(sceneId))
      throw new Error(`no scene is called ${sceneId}`);
    await this.close();
    this.open(sceneId);
  }

  /** Ends every child; resolves when they are gone. */
  async stop(): Promise<void> {
    if (this.calmTimer !== null) clearTimeout(this.calmTimer);
    this.calmTimer = null;
    await this.close();
  }

  private applyAttention(attention: Attention): void {
    this.attention = attention;
    this.applyInterval();
  }

  private applyInterval(): void {
    this.smi?.setInterval(this.intervalMs());
    if (!this.closed) this.watchLater();
  }

  private open(sceneId: string | null): void {
    this.closed = false;
    this.newest = null;
    this.memory = emptyMemory;
    this.openedAt = Date.now();
    this.madeAt = this.openedAt;
    const { nvidiaSmiPath } = this;
    const backend = this.options.backends.open({ sceneId, nvidiaSmiPath });
    this.reading = { backend, processes: processTable(procFolder, backend.devicePrefix) };
    this.search(backend, this.openedAt);
    this.watchLater();
  }

  private search(backend: SamplerBackend, now: number): void {
    this.searchedAt = now;
    const location = backend.locate();
    if (location.kind === 'missing') this.missing = location.problems;
    else this.startSmi(location.call, backend.minors);
  }

  private startSmi(call: ProgramCall, minors: ReadonlyMap<string, number>): void {
    this.missing = [];
    this.smi = new NvidiaSmi({
      call,
      intervalMs: this.intervalMs(),
      attachedBuses: [...minors.keys()],
      isSuspicious: () => this.unattributed.isSuspicious(),
      onTick: () => this.tickSoon(),
      onFailure: () => this.watchLater(),
      log: this.options.log,
    });
    this.smi.start();
  }

  private async close(): Promise<void> {
    this.closed = true;
    if (this.watchTimer !== null) clearTimeout(this.watchTimer);
    this.watchTimer = null;
    if (this.graceTimer !== null) clearTimeout(this.graceTimer);
    this.graceTimer = null;
    const { smi, reading } = this;
    this.smi = null;
    this.reading = null;
    if (reading?.processes instanceof PortableProcessTable) reading.processes.dispose();
    await smi?.stop();
    await reading?.backend.stop();
  }

  private tickSoon(): void {
    this.graceTimer ??= setTimeout(() => {
      this.graceTimer = null;
      if (!this.waitsForFirst(Date.now())) this.emit(Date.now());
    }, graceMs);
  }

  private waitsForFirst(now: number): boolean {
    const patienceMs = this.options.firstPatienceMs ?? usualPatienceMs;
    return this.newest === null && now - this.openedAt < patienceMs && !this.isSettled();
  }

  /**
   * Sets the next look for when a tick could be overdue as things are. A tick that comes meanwhile moves nothing: the
   * look finds it and is set anew.
   */
  private watchLater(): void {
    if (this.watchTimer !== null) clearTimeout(this.watchTimer);
    const now = Date.now();
    const searchAt = this.searches() ? this.searchedAt + searchEveryMs : Infinity;
    const dueInMs = Math.min(this.overdueAt(now), searchAt) - now + 1;
    const waitMs = this.newest === null ? firstLookMs : Math.max(leastWatchMs, dueInMs);
    this.watchTimer = setTimeout(() => {
      this.watch(Date.now());
      if (!this.closed) this.watchLater();
    }, waitMs);
  }

  /** Makes a Snapshot where no tick comes, so that what is wrong is told. */
  private watch(now: number): void {
    const { reading } = this;
    if (this.closed || reading === null) return;
    if (this.searches() && now - this.searchedAt > searchEveryMs) this.search(reading.backend, now);
    const firstIsWhole = this.newest === null && this.isSettled();
    if (now > this.overdueAt(now) || firstIsWhole) this.emit(now);
  }

  /** When the next Snapshot is made at the latest, with new readings or without. */
  private overdueAt(now: number): number {
    const isStale = this.smi?.isStale(now) ?? true;
    const intervalMs = this.intervalMs();
    return (
      this.madeAt + (isStale ? Math.max(intervalMs, tellEveryMs / this.speed()) : intervalMs + overdueMs)
    );
  }

  private searches(): boolean {
    return this.smi === null && this.missing.length > 0;
  }

  private emit(now: number): void {
    this.madeAt = now;
    this.options.onSnapshot(this.make(now));
  }

  private make(now: number): WorkstationState {
    if (this.reading === null) throw new Error('the sampler is not started');
    const { backend, processes: table } = this.reading;
    const readings = this.smi?.readings(now) ?? nothingRead;
    const processes = table.read({
      pidsOnCards: pidsOf(readings),
      suspicious: this.unattributed.isSuspicious(),
      now,
      slowness: this.attention === 'watched' ? 1 : slownessUnwatched,
    });
    const world = worldOf(processes.world, readings);
    const snapshot = assembleSnapshot({
      time: this.secondsAt(now),
      source: backend.origin,
      cardsReadAt: readings.cardsReadAt === null ? null : this.secondsAt(readings.cardsReadAt),
      intervalSeconds: (this.intervalMs() * this.speed()) / 1000,
      driverVersion: readings.driverVersion ?? readings.details?.driverVersion ?? null,
      cudaVersion: readings.details?.cudaVersion ?? null,
      cards: readings.cards,
      lostGpuIndices: readings.lostGpuIndices,
      apps: readings.apps,
      isStale: readings.isStale,
      detailCards: readings.details?.cards ?? [],
      detailProcesses: readings.details?.processes ?? [],
      facts: processes.facts,
      host: this.host.latest(processes.topByMemory, now),
      gpuIndexByMinor: gpuIndexByMinor(readings.cards, backend.minors),
      previousJobs: this.newest?.jobs ?? [],
      ownUid: process.getuid?.() ?? null,
      world,
      problems: [...this.missing, ...readings.problems],
    });
    const withProblems = {
      ...snapshot,
      problems: readings.isStale
        ? snapshot.problems
        : [...snapshot.problems, ...this.unattributed.problems(snapshot, processes)],
    };
    const listeningPorts = this.listening.read(processes.facts, now);
    const livingContainers = this.containers.read(processes.facts, world, now);
    const enriched = enrichSnapshot(this.memory, withProblems, {
      listeningPorts,
      livingContainers,
      world,
    });
    this.memory = enriched.memory;
    this.newest = enriched.snapshot;
    return enriched.snapshot;
  }

  private intervalMs(): number {
    return intervalFor(this.intervalSeconds, this.attention, this.speed());
  }

  private speed(): number {
    return this.reading?.backend.speed ?? 1;
  }

  /** Seconds since the epoch, as the source counts them. */
  private secondsAt(now: number): number {
    return (this.begunAt + (now - this.begunAt) * this.speed()) / 1000;
  }
}

const nothingRead: SmiReadings = {
  cards: [],
  lostGpuIndices: new Set(),
  cardsReadAt: null,
  driverVersion: null,
  apps: null,
  isStale: false,
  details: null,
  problems: [],
};

/** With the list of processes on cards: one that is not there, or leaves some out, proves nobody's absence. */
function worldOf(world: World, { apps, problems }: SmiReadings): World {
  const isListed = apps !== null && !problems.some(({ code }) => code === 'processes-hidden');
  return isListed ? world : { ...world, hidden: new Set<HiddenPart>([...world.hidden, 'cardProcesses']) };
}

function pidsOf({ apps, details }: SmiReadings): ReadonlySet<number> {
  const graphics = (details?.processes ?? []).filter(({ type }) => apps === null || type === 'G');
  return new Set([...(apps ?? []), ...graphics].flatMap(({ pid }) => pid ?? []));
}

function processTable(folder: string, devicePrefix: string): ProcessTable {
  return process.platform === 'linux'
    ? new LinuxProcessTable({ procFolder: folder, devicePrefix })
    : new PortableProcessTable();
}
