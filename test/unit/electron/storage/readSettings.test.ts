import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { migrations, readSettings } from '../../../../electron/storage/readSettings';
import { defaultSettings, settingsVersion } from '../../../../shared/contract/defaultSettings';
import { settingsSchema } from '../../../../shared/contract/settings';

describe('readSettings', () => {
  it('takes settings as this version writes them', () => {
    const settings = { ...defaultSettings, theme: 'dark' as const, nvidiaSmiPath: '/opt/nvidia-smi' };
    expect(readSettings(JSON.parse(JSON.stringify(settings)))).toEqual({ settings, origin: 'asWritten' });
  });

  it.each([null, 7, 'text', [], {}, { version: 0 }, { version: 'one' }, { theme: 'dark' }])(
    'takes the standard settings for %j',
    (value) => expect(readSettings(value)).toEqual({ settings: defaultSettings, origin: 'damaged' }),
  );

  it('replaces only what does not fit', () => {
    const stored = {
      ...defaultSettings,
      theme: 'purple',
      language: 'zh-CN',
      thresholds: { ...defaultSettings.thresholds, hotCelsius: 5_000, nearlyFullPercent: 80 },
      rulesOff: 'all',
      surprise: true,
    };
    expect(readSettings(stored)).toEqual({
      settings: {
        ...defaultSettings,
        language: 'zh-CN',
        thresholds: { ...defaultSettings.thresholds, nearlyFullPercent: 80 },
      },
      origin: 'repaired',
    });
  });

  it('fills in what is missing', () => {
    const read = readSettings({ version: 1, readOnly: true });
    expect(read).toEqual({ settings: { ...defaultSettings, readOnly: true }, origin: 'repaired' });
  });

  it('takes what it understands from a newer version', () => {
    const stored = { ...defaultSettings, version: 9, theme: 'light', intervalSeconds: { fast: 1 } };
    expect(readSettings(stored)).toEqual({
      settings: { ...defaultSettings, theme: 'light' },
      origin: 'newer',
    });
    expect(readSettings({ ...defaultSettings, version: 9 }).origin).toBe('newer');
  });

  it('has a step to each version from the one before', () => {
    expect(migrations).toHaveLength(settingsVersion - 1);
  });

  it('takes an older version through every step since', () => {
    const steps = [
      (stored: Readonly<Record<string, unknown>>) => ({ ...stored, theme: stored['colours'] }),
      ({ colours: _dropped, ...stored }: Readonly<Record<string, unknown>>) => stored,
    ];
    const { version: _version, theme: _theme, ...others } = defaultSettings;
    const old = { ...others, version: 1, colours: 'dark' };
    expect(readSettings(old, steps)).toEqual({
      settings: { ...defaultSettings, theme: 'dark' },
      origin: 'migrated',
    });
    expect(readSettings({ ...old, version: 2, theme: 'light' }, steps).settings.theme).toBe('light');
    expect(readSettings({ ...defaultSettings, version: 3 }, steps).origin).toBe('asWritten');
  });

  it('takes the rules that were switched off from a file that lists them all, as versions up to 5 wrote it', () => {
    const { rulesOff: _off, ...known } = defaultSettings;
    const rules = {
      'nearly-full': true,
      'will-fill': true,
      uneven: false,
      'stale-job': true,
      'died-on-full-card': true,
      'host-memory': true,
      hot: false,
      throttled: true,
      'card-lost': true,
      'ecc-errors': true,
    };
    const off = { settings: { ...defaultSettings, rulesOff: ['uneven', 'hot'] }, origin: 'migrated' };
    expect(readSettings({ ...known, rules, version: 4 })).toEqual(off);
    expect(readSettings({ ...known, rules: { ...rules, 'rank-lost': true }, version: 5 })).toEqual(off);
    const withoutRank = readSettings({ ...known, rules: { ...rules, 'rank-lost': false }, version: 5 });
    expect(withoutRank.settings.rulesOff).toEqual(['uneven', 'hot', 'rank-lost']);
  });

  it('needs no step for a rule that another version knows', () => {
    const settings = { ...defaultSettings, rulesOff: ['hot', 'a-rule-of-tomorrow'] };
    expect(readSettings(settings)).toEqual({ settings, origin: 'asWritten' });
  });

  it('fills in what version 3 added, without a word', () => {
    const { pythonPath: _python, ...known } = { ...defaultSettings, readOnly: true };
    expect(readSettings({ ...known, version: 2 })).toEqual({
      settings: { ...defaultSettings, readOnly: true },
      origin: 'migrated',
    });
  });

  it('fills in what version 2 added, and keeps all the rest', () => {
    const { mutedCards: _muted, startAtLogin: _start, noTrayExplained: _told, ...known } = defaultSettings;
    const first = { ...known, version: 1, theme: 'dark', closeBehaviour: 'tray' };
    expect(readSettings(first)).toEqual({
      settings: { ...defaultSettings, theme: 'dark', closeBehaviour: 'tray' },
      origin: 'migrated',
    });
  });

  it('survives a step that fails on a strange file', () => {
    const step = () => {
      throw new Error('no such key');
    };
    expect(readSettings({ version: 1 }, [step])).toEqual({ settings: defaultSettings, origin: 'damaged' });
  });

  it('always gives settings that fit, whatever a file holds', () => {
    const nearly = fc
      .tuple(fc.constantFrom(...Object.keys(defaultSettings)), fc.jsonValue())
      .map(([key, value]) => ({ ...defaultSettings, [key]: value }));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), nearly), (value) => {
        expect(settingsSchema.safeParse(readSettings(value).settings).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
