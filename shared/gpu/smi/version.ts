/** `nvidia-smi --version`. In WSL the library is Linux's and the driver is Windows': they may differ. */
import { cellVersion } from './cell';
import { emptyReading } from './reading';
import type { GpuReading } from '../types';

/** Drivers from 610 on call them KMD and CUDA UMD version, and print "Deprecated, see …" under the old names. */
export function readVersion(text: string): GpuReading {
  const value = (label: string) =>
    cellVersion(new RegExp(`^\\s*${label} version\\s*:\\s*(\\S.{0,100})`, 'im').exec(text)?.[1]);
  return {
    ...emptyReading('version'),
    driverVersion: value('KMD') ?? value('DRIVER'),
    cudaVersion: value('CUDA UMD') ?? value('CUDA'),
  };
}
