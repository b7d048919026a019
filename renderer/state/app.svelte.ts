import { createContext } from 'svelte';
import type { Bridge } from '../../shared/contract/bridge';
import type { Destination } from '../../shared/alerts/places';
import { workerRunner as checkRunner } from '../check/runCheck';
import { workerRunner as doctorRunner } from '../doctor/runDoctor';
import { snapshotRunner } from '../doctor/snapshot/runSnapshot';
import { workerRunner as planRunner } from '../plan/runPlan';
import { AlertsStore } from './alerts.svelte';
import { CheckedScript } from './check.svelte';
import { DoctorText } from './doctor.svelte';
import { reportError } from './errors';
import { FreeingStore } from './freeing.svelte';
import { HistoryStore } from './history.svelte';
import { I18n } from './i18n.svelte';
import { JobColours } from './jobColours';
import { MeasureStore } from './measure.svelte';
import { MemorySnapshotStore } from './memorySnapshot.svelte';
import { PlanStore } from './plan.svelte';
import { ReceiptsStore } from './receipts.svelte';
import { Route } from './route.svelte';
import { Scenes } from './scenes.svelte';
import { SettingsStore } from './settings.svelte';
import { Snapshots } from './snapshots.svelte';
import { WorkstationChoices } from './workstation.svelte';
import { Viewport } from './viewport.svelte';

/** Everything the views read, made once for a window and handed down as Svelte context. */
export class AppState {
  readonly bridge: Bridge;
  readonly snapshots: Snapshots;
  readonly history: HistoryStore;
  readonly settings: SettingsStore;
  readonly scenes: Scenes;
  readonly alerts: AlertsStore;
  readonly freeing: FreeingStore;
  readonly receipts: ReceiptsStore;
  readonly measure: MeasureStore;
  readonly route = new Route();
  readonly viewport = new Viewport();
  readonly workstation = new WorkstationChoices();
  readonly colours = new JobColours();
  readonly check: CheckedScript;
  readonly doctor: DoctorText;
  readonly memorySnapshot: MemorySnapshotStore;
  readonly plan: PlanStore;
  readonly i18n: I18n;

  constructor(bridge: Bridge, browserLanguage: string) {
    this.bridge = bridge;
    this.snapshots = new Snapshots(bridge);
    this.history = new HistoryStore(bridge);
    this.settings = new SettingsStore(bridge, browserLanguage);
    this.scenes = new Scenes(bridge);
    this.alerts = new AlertsStore(bridge);
    this.freeing = new FreeingStore(bridge);
    this.receipts = new ReceiptsStore(bridge);
    this.measure = new MeasureStore(bridge, doctorRunner(), (error) => reportError(bridge, error));
    this.check = new CheckedScript(checkRunner(), (error) => reportError(bridge, error));
    this.doctor = new DoctorText(
      doctorRunner(),
      (error) => reportError(bridge, error),
      () => ({ oomExits: this.alerts.past.oomExits, now: this.snapshots.shown?.time ?? 0 }),
    );
    this.memorySnapshot = new MemorySnapshotStore(snapshotRunner(), (error) => reportError(bridge, error));
    this.plan = new PlanStore(
      bridge,
      planRunner(),
      () => this.settings.locale,
      (error) => reportError(bridge, error),
      () => this.receipts.known.receipts,
    );
    this.i18n = new I18n(() => this.settings.locale);
  }

  get theme(): 'light' | 'dark' {
    const chosen = this.settings.current?.theme ?? 'system';
    return chosen === 'system' ? (this.viewport.systemDark ? 'dark' : 'light') : chosen;
  }

  /** Goes where a menu, a notification or an alert leads. */
  follow(destination: Destination): void {
    this.doctor.follow(destination);
    this.route.follow(destination);
  }

  /** Starts everything that listens to main; returns what ends it. */
  start(): () => void {
    const stops = [
      this.snapshots.onShown((snapshot) => {
        this.colours.see(snapshot.jobs.map((job) => job.id));
        this.history.take(snapshot);
        this.plan.see(snapshot);
      }),
      this.settings.start(),
      this.freeing.start(),
      this.receipts.start(),
      this.measure.start(),
      this.snapshots.start(),
      this.alerts.start(),
      this.bridge.on('navigate', (destination) => this.follow(destination)),
    ];
    void this.scenes.load();
    return () => stops.forEach((stop) => stop());
  }
}

const [read, provide] = createContext<AppState>();

/** The state of the app around the calling component. */
export const app = read;
export const provideApp = provide;
