import type { Settings } from './settings';

/** The number that the settings file carries; a change of shape raises it and adds a step to the migrations. */
export const settingsVersion = 6;

/** Between which values each level of the alerts may lie; they are whole numbers. */
export const thresholdLimits = {
  nearlyFullPercent: { min: 1, max: 100 },
  willFillSeconds: { min: 10, max: 3_600 },
  hostMemoryPercent: { min: 1, max: 100 },
  hotCelsius: { min: 40, max: 110 },
} as const;

/** The intervals that the settings offer, in seconds; a settings file may hold any whole number up to 60. */
export const offeredIntervals = [1, 2, 5, 10, 30] as const;

export const defaultSettings: Settings = {
  version: settingsVersion,
  language: 'system',
  theme: 'system',
  intervalSeconds: 1,
  thresholds: { nearlyFullPercent: 95, willFillSeconds: 120, hostMemoryPercent: 92, hotCelsius: 87 },
  rulesOff: [],
  readOnly: false,
  mutedCards: [],
  singleKeys: true,
  trayEnabled: true,
  closeBehaviour: 'quit',
  startMinimised: false,
  startAtLogin: false,
  simulateScene: null,
  firstRunDone: false,
  nvidiaSmiPath: null,
  pythonPath: null,
  closeToTrayExplained: false,
  noTrayExplained: false,
};
