import type { Message } from '../../shared/i18n/message';
import type { CoursePoint } from '../../shared/memorySnapshot/course';
import type { DeviceReport, SnapshotReport, StackBytes } from '../../shared/memorySnapshot/report';
import { beginningBytes, mayBeSnapshot } from '../../shared/memorySnapshot/view/beginning';
import { type EntryRange, showing, zoomed } from '../../shared/memorySnapshot/view/zoom';
import type { SnapshotRunner } from '../doctor/snapshot/runSnapshot';

/** The memory snapshot that is looked at; kept while other places are shown. */
export class MemorySnapshotStore {
  name = $state<string | null>(null);
  report = $state.raw<SnapshotReport | null>(null);
  /** The place of the device in the report. */
  chosen = $state(0);
  range = $state.raw<EntryRange>({ from: 0, to: 0 });
  course = $state.raw<readonly CoursePoint[]>([]);
  /** The entry that is looked at; null: the peak. */
  event = $state<number | null>(null);
  /** Who holds what at that entry; null while it is asked. */
  stacks = $state.raw<readonly StackBytes[] | null>(null);
  /** How much of the file is read, 0 to 1; null while nothing is read. */
  progress = $state<number | null>(null);
  refusal = $state.raw<Message | null>(null);
  failed = $state(false);

  #asked = 0;

  constructor(
    private readonly runner: SnapshotRunner,
    private readonly onerror: (error: unknown) => void,
  ) {}

  /** Whether the doctor's place is taken by a snapshot: one is read, shown or was refused. */
  get isOpen(): boolean {
    return this.report !== null || this.progress !== null || this.refusal !== null || this.failed;
  }

  get device(): DeviceReport | null {
    return this.report?.devices[this.chosen] ?? null;
  }

  /** The entry of the highest peak that the course shows; null without one. */
  get peak(): CoursePoint | null {
    return this.course.reduce<CoursePoint | null>(
      (highest, point) =>
        highest === null || point.allocatedBytes > highest.allocatedBytes ? point : highest,
      null,
    );
  }

  /** Takes a file that is, by its first bytes, a snapshot. False: it is something else, and nothing was done. */
  async take(file: File): Promise<boolean> {
    try {
      const start = new Uint8Array(await file.slice(0, beginningBytes).arrayBuffer());
      if (!mayBeSnapshot(file.name, start)) return false;
    } catch {
      // What cannot be read at all is told of where texts are read.
      return false;
    }
    await this.read(file);
    return true;
  }

  async read(file: File): Promise<void> {
    this.close();
    this.progress = 0;
    this.name = file.name;
    try {
      const answer = await this.runner.read(file, (share) => (this.progress = share));
      if ('refused' in answer) this.refusal = answer.refused;
      else {
        this.report = answer;
        await this.choose(0);
      }
    } catch (error) {
      this.failed = true;
      this.onerror(error);
    } finally {
      this.progress = null;
    }
  }

  /** Shows another device, whole and at its peak. */
  async choose(place: number): Promise<void> {
    this.chosen = place;
    this.event = null;
    this.stacks = this.device?.peak.byStack ?? [];
    await this.show({ from: 0, to: this.device?.entries ?? 0 });
  }

  /** Shows a part of the history. */
  async show(range: EntryRange): Promise<void> {
    this.range = range;
    const asked = ++this.#asked;
    try {
      const course = await this.runner.course(this.chosen, range);
      if (asked === this.#asked) this.course = course;
    } catch (error) {
      this.onerror(error);
    }
  }

  zoom(factor: number): void {
    const count = this.device?.entries ?? 0;
    const around = this.event ?? this.peak?.event ?? (this.range.from + this.range.to) / 2;
    void this.show(zoomed(this.range, around, factor, count));
  }

  showAll(): void {
    void this.show({ from: 0, to: this.device?.entries ?? 0 });
  }

  /** Looks at an entry, or with null at the peak of the whole history. */
  async look(event: number | null): Promise<void> {
    this.event = event;
    if (event === null) {
      this.stacks = this.device?.peak.byStack ?? [];
      return;
    }
    const range = showing(this.range, event, this.device?.entries ?? 0);
    if (range.from !== this.range.from) void this.show(range);
    try {
      const stacks = await this.runner.stacks(this.chosen, event);
      if (this.event === event) this.stacks = stacks;
    } catch (error) {
      this.onerror(error);
    }
  }

  /** Drops what is shown or being read, and its memory. */
  close(): void {
    this.runner.stop();
    this.name = null;
    this.report = null;
    this.course = [];
    this.stacks = null;
    this.event = null;
    this.refusal = null;
    this.failed = false;
    this.progress = null;
  }
}
