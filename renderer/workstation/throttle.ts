import type { MessageKey } from '../../shared/i18n/message';

type ThrottleKey = Extract<MessageKey, `workstation.throttle${string}`>;

/** nvidia-smi's reasons for held-down clocks (`-q -d PERFORMANCE`). Which of them is a fault, the rule `throttled` says. */
const reasons: Readonly<Record<string, ThrottleKey>> = {
  sw_power_cap: 'workstation.throttleSoftwarePower',
  hw_slowdown: 'workstation.throttleHardware',
  hw_thermal_slowdown: 'workstation.throttleHardwareThermal',
  sw_thermal_slowdown: 'workstation.throttleSoftwareThermal',
  hw_power_brake_slowdown: 'workstation.throttlePowerBrake',
  sync_boost: 'workstation.throttleSyncBoost',
  applications_clocks_setting: 'workstation.throttleApplicationClocks',
  display_clocks_setting: 'workstation.throttleDisplayClocks',
};

/** The words for a reason; null for one that this version does not know. */
export function throttleKey(reason: string): ThrottleKey | null {
  return reasons[reason] ?? null;
}
