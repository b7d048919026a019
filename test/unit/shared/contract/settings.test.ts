import { describe, expect, it } from 'vitest';
import { alertRules } from '../../../../shared/alerts/rules';
import { isRuleOn, switchRules } from '../../../../shared/alerts/ruleSwitches';
import { defaultSettings } from '../../../../shared/contract/defaultSettings';
import { settingsChangeSchema, settingsSchema } from '../../../../shared/contract/settings';

describe('the settings', () => {
  it('have standard values that fit their own schema', () => {
    expect(settingsSchema.parse(defaultSettings)).toEqual(defaultSettings);
  });

  it('switch every alert rule on at first', () => {
    expect(alertRules.filter(({ name }) => !isRuleOn(defaultSettings, name))).toEqual([]);
  });

  it('keep the names of the rules that are off, those of other versions too', () => {
    const off = switchRules({ rulesOff: ['of-tomorrow', 'hot'] }, { hot: true, uneven: false });
    expect(off).toEqual(['of-tomorrow', 'uneven']);
    expect(switchRules({ rulesOff: off }, { uneven: false })).toEqual(off);
    expect(isRuleOn({ rulesOff: off }, 'uneven')).toBe(false);
    expect(isRuleOn({ rulesOff: off }, 'hot')).toBe(true);
  });

  it.each([
    {},
    { theme: 'dark' },
    { thresholds: { hotCelsius: 70 } },
    { rules: { hot: false, uneven: true } },
    { simulateScene: null, firstRunDone: true, language: 'zh-CN' },
  ])('may be changed by %j', (change) => {
    expect(settingsChangeSchema.parse(change)).toEqual(change);
  });

  it.each([
    { version: 2 },
    { nvidiaSmiPath: '/bin/sh' },
    { closeToTrayExplained: true },
    { theme: undefined },
    { thresholds: { nearlyFullPercent: 0 } },
    { thresholds: { nearlyFullPercent: 101 } },
    { thresholds: null },
    { intervalSeconds: 1.5 },
    { language: 'de' },
    { simulateScene: '' },
  ])('may not be changed by %j', (change) => {
    expect(settingsChangeSchema.safeParse(change).success).toBe(false);
  });
});
