import { existsSync } from 'node:fs';

/**
 * The folder with the full data sets (`measured/`, `configs/`, `oom/`, …) that `HEADROOM_DATA` names. Null where it names none; tests then
 * use the fixtures they carry. Throws where there is no such folder.
 */
export function dataFolder(): string | null {
  const chosen = process.env['HEADROOM_DATA'];
  if (chosen === undefined || chosen === '') return null;
  if (!existsSync(chosen)) throw new Error(`HEADROOM_DATA names no folder: ${chosen}`);
  return chosen;
}
