import * as z from 'zod';
import { defaultSettings, settingsVersion } from '../../shared/contract/defaultSettings';
import { settingsSchema, type Settings } from '../../shared/contract/settings';

/**
 * What stored settings became. `asWritten`: they are as this version writes them. `migrated`: an older version wrote
 * them. `repaired`: some values did not fit and are the standard ones now. `newer`: a newer version wrote them and
 * what fits was taken. `damaged`: they are no settings at all.
 */
export type SettingsOrigin = 'asWritten' | 'migrated' | 'repaired' | 'newer' | 'damaged';

export interface ReadSettings {
  readonly settings: Settings;
  readonly origin: SettingsOrigin;
}

type Stored = Readonly<Record<string, unknown>>;

const values = z.record(z.string(), z.unknown()).catch({});

/** The step at index n turns settings of version n + 1 into version n + 2; add one whenever the shape changes. */
export const migrations: readonly ((stored: Stored) => Stored)[] = [
  // 2: cards can be muted, start at login, and what is said once about a missing tray.
  (stored) => ({ mutedCards: [], startAtLogin: false, noTrayExplained: false, ...stored }),
  // 3: the Python to measure plans with.
  (stored) => ({ pythonPath: null, ...stored }),
  // 4: single keys can be switched off.
  (stored) => ({ singleKeys: true, ...stored }),
  // 5: a rule of its own for ranks that are gone while the others hold their cards.
  (stored) => ({ ...stored, rules: { 'rank-lost': true, ...values.parse(stored['rules']) } }),
  // 6: only the rules that are switched off are written, so that a new one needs no step.
  ({ rules, ...stored }) => ({
    ...stored,
    rulesOff: Object.entries(values.parse(rules)).flatMap(([name, isOn]) => (isOn === false ? [name] : [])),
  }),
];

/**
 * Settings from whatever a file held; never throws, and always gives settings that fit the schema. The steps are a
 * parameter so that a test can bring its own; the newest version is one more than there are steps.
 */
export function readSettings(value: unknown, steps = migrations): ReadSettings {
  const head = z.looseObject({ version: z.int().min(1) }).safeParse(value);
  const migrated = head.success ? migrate(head.data, head.data.version, steps) : null;
  if (!head.success || migrated === null) return { settings: defaultSettings, origin: 'damaged' };

  const newest = steps.length + 1;
  const { version } = head.data;
  const parsed = settingsSchema.safeParse({ ...migrated, version: settingsVersion });
  if (parsed.success && version <= newest)
    return { settings: parsed.data, origin: version === newest ? 'asWritten' : 'migrated' };
  return { settings: salvage(migrated), origin: version > newest ? 'newer' : 'repaired' };
}

/** The stored values in today's shape; null where a step met something that its version never wrote. */
function migrate(stored: Stored, version: number, steps: typeof migrations): Stored | null {
  try {
    return steps.slice(version - 1).reduce((current, step) => step(current), stored);
  } catch {
    return null; // A step may trust what its version wrote; a file that breaks it is damaged.
  }
}

/** Each value that fits, the standard one for each that does not; unknown keys are left out. */
function salvage(stored: Stored): Settings {
  const { shape } = settingsSchema;
  const fitting = {
    ...takeFitting(shape, stored, defaultSettings),
    thresholds: takeFitting(shape.thresholds.shape, stored['thresholds'], defaultSettings.thresholds),
    version: settingsVersion,
  };
  return settingsSchema.parse(fitting);
}

function takeFitting(
  shape: Readonly<Record<string, z.ZodType>>,
  stored: unknown,
  standard: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = values.parse(stored);
  return Object.fromEntries(
    Object.entries(shape).map(([key, schema]) => {
      const fit = Object.hasOwn(known, key) ? schema.safeParse(known[key]) : null;
      return [key, fit?.success === true ? fit.data : standard[key]];
    }),
  );
}
