/** Ending a job: what is left alone and why. */
export const ending = {
  keepsOwn: 'Process {pid} is Headroom itself or above it.',
  keepsUnknown: 'Process {pid} cannot be identified for certain, so it is not touched.',
  keepsDesktop: 'Process {pid} belongs to the desktop.',
  keepsService: 'Process {pid} ({name}) is a service; stop it with its own command.',
  keepsShell: 'Process {pid} is a shell or terminal.',
  keepsNotebook: 'Process {pid} is a notebook kernel; shut it down in the notebook.',
  keepsZombie:
    'Process {pid} has ended already; its memory comes back when its parent or the driver lets go, else with a restart of the machine.',
  keepsNamespace: 'Process {pid} lives in another container; end it there.',
  keepsOtherUser: 'Process {pid} belongs to {user}; ask them or an administrator.',
  refused: 'Process {pid} could not be signalled: permission denied.',
  uninterruptible:
    'Process {pid} waits in the kernel (state D) and cannot be ended now; if it stays, the driver or a disk hangs and the machine needs a restart.',
  survivesKill:
    'Process {pid} did not end on SIGKILL yet; it hangs in the driver. Only a restart of the machine helps if it stays.',
  notForced: 'Process {pid} did not end when asked, and was not forced.',
} as const;
