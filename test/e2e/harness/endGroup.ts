/**
 * Ends an app that leads a process group of its own, and whatever of the group is left. Nothing happens where all of
 * it has ended already.
 */
export function endGroup(leaderPid: number): void {
  try {
    process.kill(process.platform === 'win32' ? leaderPid : -leaderPid, 'SIGKILL');
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}
