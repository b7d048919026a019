/**
 * How much of this machine's processes Headroom may see: whether /proc hides those of other users
 * (https://docs.kernel.org/filesystems/proc.html#mount-options) and whether it runs in a pid namespace of its own.
 */
import type { HiddenPart, World } from '../../shared/jobs/world';
import { readProcFile, readProcLink } from './procfs';

/** The inode of the machine's first pid namespace (PROC_PID_INIT_INO in the kernel's proc_ns.h). */
const firstPidNamespace = 'pid:[4026531836]';
/** CAP_SYS_PTRACE, which sees through hidepid. */
const ptraceCapability = 19n;

/** What /proc says of itself; what cannot be read counts as hidden. */
export function readVisibleWorld(procFolder: string): World {
  const hidden = new Set<HiddenPart>();
  const namespace = readProcLink(`${procFolder}/self/ns/pid`);
  const isFirst = namespace.ok && namespace.value === firstPidNamespace;
  if (!isFirst) hidden.add('otherNamespaces');
  const status = readProcFile(`${procFolder}/self/status`);
  const mounts = readProcFile(`${procFolder}/self/mountinfo`);
  if (!mounts.ok || !status.ok || hidesProcesses(mounts.value, status.value, procFolder))
    hidden.add('otherUsers');
  // Also under whatever hides processes in another way.
  else if (!readProcFile(`${procFolder}/1/cmdline`).ok) hidden.add('otherUsers');
  return { hidden, hasMachineInit: isFirst, reparents: true };
}

/**
 * Whether the newest mount of `procFolder` in a mountinfo hides other users' processes from the process with this status.
 * `hidepid` may be a number or a name; a process in the group of `gid=` is exempt unless only what may be traced is shown.
 */
export function hidesProcesses(mountinfo: string, status: string, procFolder: string): boolean {
  const options = mountinfo
    .split('\n')
    .map((line) => line.split(' '))
    .filter((words) => words[4] === procFolder && words[words.indexOf('-') + 1] === 'proc')
    .map((words) => words.at(-1) ?? '')
    .at(-1);
  // Mounted elsewhere, or not as a file system of its own: nobody says what it hides.
  if (options === undefined) return true;
  const hidepid = /(?:^|,)hidepid=([^,]+)/.exec(options)?.[1] ?? '0';
  if (hidepid === '0' || hidepid === 'off') return false;
  const capabilities = /^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1];
  if (capabilities !== undefined && ((BigInt(`0x${capabilities}`) >> ptraceCapability) & 1n) === 1n)
    return false;
  if (hidepid === '4' || hidepid === 'ptraceable') return true;
  const gid = /(?:^|,)gid=(\d+)/.exec(options)?.[1];
  const groups = [/^Gid:(.*)$/m, /^Groups:(.*)$/m].flatMap(
    (pattern) => pattern.exec(status)?.[1]?.trim().split(/\s+/) ?? [],
  );
  return gid === undefined || !groups.includes(gid);
}
