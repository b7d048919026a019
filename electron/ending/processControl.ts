import { linuxProcesses, noProcesses, type ProcessControl } from './processes';
import { windowsProcesses } from './windowsProcesses';

/** The processes of this operating system. */
export const processControl: ProcessControl =
  process.platform === 'linux'
    ? linuxProcesses
    : process.platform === 'win32'
      ? windowsProcesses()
      : noProcesses;
