import * as z from 'zod';
import type { CardLink } from '../gpu/types';
import type { Message } from '../i18n/message';
import { alertIdLength, type AlertsState } from './alertsState';
import type { AppInfo } from './appInfo';
import type { DesktopState } from './desktopState';
import { mostShownProcesses, type EndingNews, type FreeOutcome } from './ending';
import { historySpans, type History } from '../snapshot/history/history';
import { launchPlanSchema } from './launchPlanSchema';
import type { MeasureState } from '../measure/state';
import type { Destination } from '../alerts/places';
import type { WindowCommand } from './windowCommands';
import { planAnswersSchema } from './planAnswers';
import { planFilesSchema, type PlanSaved } from './planFiles';
import type { SceneSummary } from './scenes';
import { settingsChangeSchema, type SettingsState } from './settings';
import type { PlanAnswers } from '../strategy/wizard/answers';
import { planIdSchema, receiptIdSchema } from './receiptSchemas';
import type { ReceiptsState } from '../receipts/state';
import type { Snapshot } from '../alerts/snapshot';

const jobIdSchema = z.string().min(1).max(64);

/**
 * The contract between window and main as one value. A call has a schema for its one argument, checked in main before
 * any handler runs, and the type of its result. Types of both sides are derived from here; the renderer imports types
 * only, so zod stays out of its bundle.
 *
 * To add a call: one line here, one handler in electron/ipc. The compiler and the contract test ask for both.
 */
export const calls = {
  /** The newest Snapshot, null before the first reading. */
  'snapshot.current': call(z.null(), returns<Snapshot | null>()),
  'history.read': call(
    z.strictObject({ span: z.enum(historySpans), pixelWidth: z.int().min(1).max(16_384) }),
    returns<History>(),
  ),
  /** Whether the page can be seen; a page that cannot gets no Snapshots. */
  'view.visible': call(z.strictObject({ visible: z.boolean() }), returns<null>()),
  'scenes.list': call(z.null(), returns<readonly SceneSummary[]>()),
  /** Plays a scene until the app ends, or goes back to the machine's own cards with null. */
  'scenes.choose': call(z.strictObject({ sceneId: z.string().min(1).max(64).nullable() }), returns<null>()),
  'settings.read': call(z.null(), returns<SettingsState>()),
  'settings.change': call(settingsChangeSchema, returns<SettingsState>()),
  /** Asks for the nvidia-smi program in main's own file dialog; null in the answer's settings: the usual places. */
  'settings.chooseNvidiaSmi': call(z.strictObject({ useDefault: z.boolean() }), returns<SettingsState>()),
  /** What was raised before and how it ended, and what is snoozed. The alerts that stand are in the Snapshot. */
  'alerts.read': call(z.null(), returns<AlertsState>()),
  /** Announces nothing more of one alert (`*`: of any) for a while; 0 seconds ends that. */
  'alerts.snooze': call(
    z.strictObject({ id: z.string().min(1).max(alertIdLength), seconds: z.int().min(0).max(604_800) }),
    returns<AlertsState>(),
  ),
  'desktop.read': call(z.null(), returns<DesktopState>()),
  /**
   * Ends a leftover job after asking in main's own dialog. `shown` is what the person saw: main ends no process that is
   * not among them, and none whose start time has changed.
   */
  'jobs.free': call(
    z.strictObject({
      jobId: jobIdSchema,
      shown: z
        .array(z.strictObject({ pid: z.int().min(1), startTime: z.number().min(0) }))
        .max(mostShownProcesses),
    }),
    returns<FreeOutcome>(),
  ),
  /** Waits no longer for the processes of a job that is being freed to end by themselves. */
  'jobs.doNotWait': call(z.strictObject({ jobId: jobIdSchema }), returns<null>()),
  /** The answers that the wizard was given before, null where there are none. */
  'plan.read': call(z.null(), returns<PlanAnswers | null>()),
  /** How this machine's cards are joined, as nvidia-smi says; empty where it does not, and in a scene. */
  'plan.links': call(z.null(), returns<readonly CardLink[]>()),
  'plan.remember': call(z.strictObject({ answers: planAnswersSchema }), returns<null>()),
  /** Writes the files of a plan into a folder that is chosen in main's own dialog. */
  'plan.save': call(z.strictObject({ files: planFilesSchema }), returns<PlanSaved>()),
  /** Plans that were saved, the jobs that follow them, and what came of it. */
  'receipts.read': call(z.null(), returns<ReceiptsState>()),
  /** Compares a running job with a saved plan, or with none (null). */
  'receipts.tie': call(
    z.strictObject({ jobId: jobIdSchema, planId: planIdSchema.nullable() }),
    returns<ReceiptsState>(),
  ),
  'receipts.delete': call(z.strictObject({ id: receiptIdSchema }), returns<ReceiptsState>()),
  'measure.read': call(z.null(), returns<MeasureState>()),
  /** Asks for the Python to measure with in main's own file dialog. */
  'measure.choosePython': call(z.null(), returns<MeasureState>()),
  /**
   * Runs two steps of a plan after asking in main's own dialog. Main writes what is run from the plan; `gpuIndices`: the cards
   * to run on, null for all.
   */
  'measure.start': call(
    z.strictObject({
      plan: launchPlanSchema,
      gpuIndices: z.array(z.int().min(0).max(1024)).min(1).max(64).nullable(),
    }),
    returns<MeasureState>(),
  ),
  'measure.stop': call(z.null(), returns<MeasureState>()),
  'app.info': call(z.null(), returns<AppInfo>()),
  /** Opens the folder of the log in the system's file manager. */
  'app.openLogs': call(z.null(), returns<null>()),
  /** Writes an error of the page to the log, shortened and with private data removed. */
  'log.rendererError': call(
    z.strictObject({ text: z.string().max(4_000), stack: z.string().max(16_000).nullable() }),
    returns<null>(),
  ),
} as const;

/** What main tells the window without being asked. */
export const events = {
  snapshot: event<Snapshot>(),
  settings: event<SettingsState>(),
  alerts: event<AlertsState>(),
  desktop: event<DesktopState>(),
  /** How far the freeing of a job is. */
  ending: event<EndingNews>(),
  receipts: event<ReceiptsState>(),
  measure: event<MeasureState>(),
  navigate: event<Destination>(),
  command: event<WindowCommand>(),
} as const;

export type CallName = keyof typeof calls;
export type EventName = keyof typeof events;
export type ArgumentOf<Name extends CallName> = z.infer<(typeof calls)[Name]['argument']>;
export type ResultOf<Name extends CallName> =
  (typeof calls)[Name]['result'] extends Carries<infer Result> ? Result : never;
export type PayloadOf<Name extends EventName> =
  (typeof events)[Name] extends Carries<infer Payload> ? Payload : never;

/** Why a call was not answered. `code` is stable. */
export const refusalCodes = [
  'untrusted-sender',
  'unknown-call',
  'bad-argument',
  'not-found',
  'read-only',
  'failed',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/** The answer to a call. Errors are data: an exception would lose its fields on the way to the window. */
export type Reply<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly code: RefusalCode; readonly message: Message };

/** Carries a type beside a value without a value of that type. */
interface Carries<Type> {
  readonly carries: (value: Type) => Type;
}

function returns<Result>(): Carries<Result> {
  return { carries: (value) => value };
}

function event<Payload>(): Carries<Payload> {
  return { carries: (value) => value };
}

function call<Argument extends z.ZodType, Result>(argument: Argument, result: Carries<Result>) {
  return { argument, result } as const;
}
