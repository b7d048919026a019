/** Where nvidia-smi lies. A start from a desktop entry lacks some folders of a shell's PATH. */
import { join } from 'node:path';
import { findExecutable, isExecutable, searchPath } from '../programs/programCall';

/** In WSL the Windows driver brings its own, and a Linux driver's beside it crashes (microsoft/WSL#11277). */
const wslFolder = '/usr/lib/wsl/lib';
const linuxFolders = [
  '/usr/local/nvidia/bin',
  '/opt/nvidia/bin',
  '/run/current-system/sw/bin',
  '/run/opengl-driver/bin',
];

/** The program a person chose, if it can be run; else the first found in the usual places; null where there is none. */
export function findNvidiaSmi(chosen: string | null): string | null {
  if (chosen !== null) return isExecutable(chosen) ? chosen : null;
  if (process.platform === 'win32')
    return findExecutable('nvidia-smi.exe', [...windowsFolders(), ...searchPath()]);
  return findExecutable('nvidia-smi', [wslFolder, ...searchPath(), ...linuxFolders]);
}

function windowsFolders(): readonly string[] {
  const system = process.env['SystemRoot'] ?? 'C:\\Windows';
  const programs = process.env['ProgramFiles'] ?? 'C:\\Program Files';
  return [join(system, 'System32'), join(programs, 'NVIDIA Corporation', 'NVSMI')];
}
