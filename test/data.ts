import { existsSync } from 'node:fs';
import path from 'node:path';

const beside = path.resolve(import.meta.dirname, '../../shared/data');

/**
 * The folder with the full data sets (`measured/`, `configs/`, `oom/`, …): `HEADROOM_DATA`, else `../shared/data` beside
 * the checkout. Null when neither is there; tests then use the fixtures they carry.
 */
export function dataFolder(): string | null {
  const chosen = process.env['HEADROOM_DATA'];
  if (chosen !== undefined && chosen !== '') return existsSync(chosen) ? chosen : null;
  return existsSync(beside) ? beside : null;
}
