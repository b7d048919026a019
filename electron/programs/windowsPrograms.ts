import path from 'node:path';

/**
 * The full path of a program of Windows' own, given by its folders and name under System32. `SystemRoot` is set by Windows
 * itself; a PATH that somebody changed cannot put another program in its place.
 */
export function windowsProgram(...names: readonly string[]): string {
  return path.win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', ...names);
}
