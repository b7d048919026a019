import * as z from 'zod';
import { alertRules } from '../alerts/rules';
import { locales } from '../i18n/translate';
import type { Message } from '../i18n/message';
import { settingsVersion, thresholdLimits } from './defaultSettings';

const within = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().min(min).max(max);

/** The levels at which alerts speak. */
const thresholds = z.strictObject({
  /** A card's used memory over its total. */
  nearlyFullPercent: within(thresholdLimits.nearlyFullPercent),
  /** A forecast that a card will be full within this time. */
  willFillSeconds: within(thresholdLimits.willFillSeconds),
  hostMemoryPercent: within(thresholdLimits.hostMemoryPercent),
  hotCelsius: within(thresholdLimits.hotCelsius),
});

/** Switches of single rules, as the window changes them. */
const ruleSwitches = z.partialRecord(z.enum(alertRules.map(({ name }) => name)), z.boolean());

/**
 * What the renderer may change. Paths are not among them: a program is chosen in main's own file dialog only, so a
 * page that was taken over cannot make the app start something else.
 */
const changeable = z.strictObject({
  language: z.enum(['system', ...locales]),
  theme: z.enum(['system', 'light', 'dark']),
  /** Seconds between two readings of the cards while the window shows. */
  intervalSeconds: z.int().min(1).max(60),
  thresholds,
  /**
   * The names of the alert rules that are switched off, and of no others: a new rule needs no step of migration. A name that
   * this version does not know is kept for the one that wrote it.
   */
  rulesOff: z.array(z.string().min(1).max(64)).max(64),
  /** No job may be ended and no file written. */
  readOnly: z.boolean(),
  /** The cards that raise no alerts, by UUID, or by index where a card has none. */
  mutedCards: z.array(z.string().min(1).max(80)).max(64),
  /** Whether single keys (1 to 5, /, ?, Space) act on the window; WCAG 2.1.4 asks for a way to switch them off. */
  singleKeys: z.boolean(),
  trayEnabled: z.boolean(),
  closeBehaviour: z.enum(['quit', 'tray']),
  startMinimised: z.boolean(),
  /** The desktop starts Headroom, without its window, when the person logs in. */
  startAtLogin: z.boolean(),
  /** The scene that opens at start; null: the machine's own cards, or the first scene where there are none. */
  simulateScene: z.string().min(1).max(64).nullable(),
  firstRunDone: z.boolean(),
});

/** The whole settings file. */
export const settingsSchema = changeable.extend({
  version: z.literal(settingsVersion),
  /** The nvidia-smi that a person chose; null: the one found in the usual places. */
  nvidiaSmiPath: z.string().min(1).max(4_096).nullable(),
  /** The Python that a person chose to measure plans with; null: none. */
  pythonPath: z.string().min(1).max(4_096).nullable(),
  /** Whether it was explained once that closing the window leaves the app in the tray. */
  closeToTrayExplained: z.boolean(),
  /** Whether it was said once that this desktop shows no tray. */
  noTrayExplained: z.boolean(),
});

/** A change: any of the changeable settings, single values of `thresholds`, and single rules switched on or off. */
export const settingsChangeSchema = z.strictObject({
  ...exactPartial(changeable.omit({ thresholds: true, rulesOff: true }).shape),
  thresholds: z.strictObject(exactPartial(thresholds.shape)).exactOptional(),
  rules: ruleSwitches.exactOptional(),
});

type Exactly<Shape extends z.ZodRawShape> = {
  [Key in keyof Shape]: z.ZodExactOptional<Shape[Key]>;
};

/** Each key may be missing, but not be undefined, so that a spread over the settings never removes a value. */
function exactPartial<Shape extends z.ZodRawShape>(shape: Shape): Exactly<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([key, value]) => [key, z.exactOptional(value)]),
  ) as Exactly<Shape>;
}

export type Settings = Readonly<z.infer<typeof settingsSchema>>;
export type SettingsChange = Readonly<z.infer<typeof settingsChangeSchema>>;

/** The settings as the renderer sees them. `notice` tells of a damaged file or of one that cannot be written. */
export interface SettingsState {
  readonly settings: Settings;
  readonly notice: Message | null;
}
