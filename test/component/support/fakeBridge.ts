import type { Bridge } from '../../../shared/contract/bridge';
import type {
  ArgumentOf,
  CallName,
  EventName,
  PayloadOf,
  Reply,
  ResultOf,
} from '../../../shared/contract/ipc';
import type { AlertsState } from '../../../shared/contract/alertsState';
import type { DesktopState } from '../../../shared/contract/desktopState';
import type { MeasureState } from '../../../shared/measure/state';
import type { ReceiptsState } from '../../../shared/receipts/state';
import { switchRules } from '../../../shared/alerts/ruleSwitches';
import { defaultSettings } from '../../../shared/contract/defaultSettings';
import type { Settings, SettingsState } from '../../../shared/contract/settings';
import type { Snapshot } from '../../../shared/alerts/snapshot';
import type { CardLink } from '../../../shared/gpu/types';
import type { PlanAnswers } from '../../../shared/strategy/wizard/answers';
import { pastOf } from './history';

type Answers = { [Name in CallName]: (argument: ArgumentOf<Name>) => Reply<ResultOf<Name>> };

const yes = <Value>(value: Value): Reply<Value> => ({ ok: true, value });

/** Main as the renderer sees it: answers every call of the contract from memory and can send every event. */
export class FakeBridge implements Bridge {
  readonly calls: { readonly name: CallName; readonly argument: unknown }[] = [];
  readonly #listeners = new Map<EventName, Set<(payload: never) => void>>();
  readonly answers: Answers;
  settings: Settings;
  snapshot: Snapshot | null;
  plan: PlanAnswers | null = null;
  links: readonly CardLink[] = [];
  alerts: AlertsState = { history: [], snoozedUntil: {}, oomExits: [] };
  receipts: ReceiptsState = { plans: [], ties: [], receipts: [], notice: null };
  measure: MeasureState = { python: null, run: null };
  desktop: DesktopState = { trayHost: 'present', notifications: true, startAtLogin: true };

  constructor(snapshot: Snapshot | null, settings: Partial<Settings> = {}) {
    this.snapshot = snapshot;
    this.settings = { ...defaultSettings, language: 'en', theme: 'light', firstRunDone: true, ...settings };
    this.answers = {
      'snapshot.current': () => yes(this.snapshot),
      'history.read': ({ span }) =>
        yes(
          this.snapshot === null
            ? { span, fromTime: 0, toTime: 0, intervalSeconds: null, cards: [], marks: [] }
            : pastOf(this.snapshot, span),
        ),
      'view.visible': () => yes(null),
      'scenes.list': () =>
        yes([
          {
            id: 'two-3090-oom',
            title: { key: 'app.doctor', values: {} },
            description: { key: 'app.doctor', values: {} },
          },
        ]),
      'scenes.choose': () => yes(null),
      'settings.read': () => yes(this.#state()),
      'settings.change': ({ rules, thresholds, ...change }) => {
        this.settings = {
          ...this.settings,
          ...change,
          rulesOff: switchRules(this.settings, rules ?? {}),
          thresholds: { ...this.settings.thresholds, ...thresholds },
        };
        return yes(this.#state());
      },
      'settings.chooseNvidiaSmi': ({ useDefault }) => {
        this.settings = { ...this.settings, nvidiaSmiPath: useDefault ? null : '/opt/nvidia/bin/nvidia-smi' };
        return yes(this.#state());
      },
      'app.info': () =>
        yes({
          name: 'Headroom',
          version: '0.1.0',
          electronVersion: '45.5.0',
          chromeVersion: '150.0.0.0',
          nodeVersion: '24.4.0',
          platform: 'linux',
          systemLocale: 'en',
          sandboxed: true,
        }),
      'alerts.read': () => yes(this.alerts),
      'alerts.snooze': ({ id, seconds }) => {
        const until = (this.snapshot?.time ?? 0) + seconds;
        const { [id]: _before, ...others } = this.alerts.snoozedUntil;
        this.alerts = {
          ...this.alerts,
          snoozedUntil: seconds === 0 ? others : { ...others, [id]: until },
        };
        return yes(this.alerts);
      },
      'desktop.read': () => yes(this.desktop),
      'jobs.free': () => yes({ kind: 'cancelled' }),
      'jobs.doNotWait': () => yes(null),
      'plan.read': () => yes(this.plan),
      'plan.links': () => yes(this.links),
      'plan.remember': ({ answers }) => {
        this.plan = answers;
        return yes(null);
      },
      'plan.save': ({ files }) =>
        yes({ kind: 'saved', folder: '/home/ada/llama', names: files.map(({ name }) => name) }),
      'receipts.read': () => yes(this.receipts),
      'receipts.tie': ({ jobId, planId }) => {
        const ties = this.receipts.ties.filter((tie) => tie.jobId !== jobId);
        const added = planId === null ? [] : [{ jobId, planId, by: 'person' } as const];
        this.receipts = { ...this.receipts, ties: [...ties, ...added] };
        return yes(this.receipts);
      },
      'receipts.delete': ({ id }) => {
        const receipts = this.receipts.receipts.filter((receipt) => receipt.id !== id);
        this.receipts = { ...this.receipts, receipts };
        return yes(this.receipts);
      },
      'measure.read': () => yes(this.measure),
      'measure.choosePython': () => {
        this.measure = { ...this.measure, python: '/home/ada/.venv/bin/python' };
        return yes(this.measure);
      },
      'measure.start': () => yes(this.measure),
      'measure.stop': () => yes(this.measure),
      'app.openLogs': () => yes(null),
      'log.rendererError': () => yes(null),
    };
  }

  call<Name extends CallName>(name: Name, argument: ArgumentOf<Name>): Promise<Reply<ResultOf<Name>>> {
    this.calls.push({ name, argument });
    return Promise.resolve(this.answers[name](argument));
  }

  on<Name extends EventName>(name: Name, listener: (payload: PayloadOf<Name>) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Sends an event as main would. */
  emit<Name extends EventName>(name: Name, payload: PayloadOf<Name>): void {
    for (const listener of this.#listeners.get(name) ?? [])
      (listener as (given: PayloadOf<Name>) => void)(payload);
  }

  /** Sends a Snapshot, which is also what a later question answers. */
  push(snapshot: Snapshot): void {
    this.snapshot = snapshot;
    this.emit('snapshot', snapshot);
  }

  #state(): SettingsState {
    return { settings: this.settings, notice: null };
  }
}
