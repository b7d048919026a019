/** Why a job is stale, and what speaks against it. */
export const stale = {
  launcherGone: 'Its launcher (pid {pid}) ended {since:duration} ago.',
  launcherGoneBefore: {
    one: 'torchrun started it, but no torchrun is above it any more.',
    other: 'torchrun started its {count} ranks, but no torchrun is above them any more.',
  },
  ranksAdopted: {
    one: 'Its rank has lost the process that started it.',
    other: 'Its {count} ranks have lost the process that started them.',
  },
  containerGone: 'Its container no longer exists.',
  workersAlone: {
    one: 'A worker without its parent: nobody will ask it for work again.',
    other: '{count} workers without their parent: nobody will ask them for work again.',
  },
  zombie:
    'Process {pid} has ended but still holds a card: a thread of it hangs in the driver, or a child keeps it.',
  ranksMissing: {
    one: '{count} of {expected} ranks is left.',
    other: '{count} of {expected} ranks are left.',
  },
  portSilent: 'Nobody listens on its rendezvous port {port} any more.',
  newerRun: 'The same command was started again later ({job}) on the same card.',
  unlisted: 'It has card devices open, but nvidia-smi does not list it.',
  ownerGone: 'Process {pid} no longer exists, yet nvidia-smi still shows memory for it.',
  uninterruptible: 'A process of it has waited in the kernel (state D) for {since:duration}.',
  idleLong: 'It has used neither processor nor disk for {since:duration}.',

  desktop: 'A program of the desktop.',
  service: 'Kept by a system service, which would start it again.',
  notebook: 'A notebook kernel: its variables are kept on purpose. Shut it down in the notebook.',
  checkpointOpen: 'It has a checkpoint open for writing.',
  launcherAlive: 'Its launcher lives.',
  computing: 'Its processes are computing (card at {percent} %): this may be somebody’s run.',
  computingUnknown: 'Its processes are computing: this may be somebody’s run.',
  severalOwners: 'Its processes belong to several users, or to an unknown one.',
  unreadable: 'Not all of its processes can be read, so nothing is proven.',
  stopped: 'It was stopped (Ctrl-Z) and may be continued.',
  otherUser: 'It belongs to {user}.',
} as const;
