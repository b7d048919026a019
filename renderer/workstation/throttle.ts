import type { MessageKey } from '../../shared/i18n/message';

type ThrottleKey = Extract<MessageKey, `workstation.throttle${string}`>;

export interface ThrottleText {
  readonly key: ThrottleKey;
  readonly level: 'info' | 'warning';
}

/**
 * nvidia-smi's reasons for held-down clocks (`-q -d PERFORMANCE`). Reaching the power limit is what training does, so
 * it is told without a warning; heat and the power supply are not.
 */
const reasons: Readonly<Record<string, ThrottleText>> = {
  sw_power_cap: { key: 'workstation.throttleSoftwarePower', level: 'info' },
  hw_slowdown: { key: 'workstation.throttleHardware', level: 'warning' },
  hw_thermal_slowdown: { key: 'workstation.throttleHardwareThermal', level: 'warning' },
  sw_thermal_slowdown: { key: 'workstation.throttleSoftwareThermal', level: 'warning' },
  hw_power_brake_slowdown: { key: 'workstation.throttlePowerBrake', level: 'warning' },
  sync_boost: { key: 'workstation.throttleSyncBoost', level: 'info' },
  applications_clocks_setting: { key: 'workstation.throttleApplicationClocks', level: 'info' },
  display_clocks_setting: { key: 'workstation.throttleDisplayClocks', level: 'info' },
};

/** The words for a reason; null for one that this version does not know. */
export function throttleText(reason: string): ThrottleText | null {
  return reasons[reason] ?? null;
}
