/** What goes wrong between Headroom and the machine's own programs and files, and what to do. */
export const sensing = {
  smiNotAllowed: '{path} may not be started: {reason}.',
  smiNotAllowedRemedy:
    'Check who may run the file and the device files (ls -l {path} /dev/nvidia*), or ask the administrator.',
  smiSilent: 'nvidia-smi has not answered for {seconds:duration}.',
  smiSilentRemedy:
    'The values shown are the last ones read. The driver may be stuck: look for "Xid" in "dmesg". Headroom waits and asks again; training may still be running.',
  smiStuck: 'nvidia-smi (process {pid}) does not answer and cannot be ended.',
  smiStuckRemedy:
    'It waits inside the driver. Headroom starts no second one until it is gone. Look for "Xid" in "dmesg"; often only a restart of the machine helps.',
  smiEnded: 'nvidia-smi ended without an answer ({status}).',
  smiEndedRemedy: 'Headroom starts it again. Run "nvidia-smi" in a terminal to see what it says.',
  smiUnknown: 'nvidia-smi printed something that Headroom does not know: "{text}"',
  smiUnknownRemedy: 'Run "nvidia-smi" in a terminal. If it works there, please report this text.',
  smiFlood: 'nvidia-smi printed more than {limit:bytes} in one go, so it was ended.',
  smiFloodRemedy:
    'Check that the program chosen in the settings is really nvidia-smi and not a script around it.',
  detailsMissing: 'nvidia-smi does not give its detailed report ("-q -x").',
  detailsMissingRemedy:
    'Memory and load are still read. Desktop programs, MIG instances and some health marks may be missing.',
  outsideNamespace:
    'Headroom runs in a container: processes on the cards live outside it and cannot be named.',
  outsideNamespaceRemedy: 'Start the container with the host’s process table ("--pid=host") to see them.',
  heldByUnknown: 'Card {gpuIndex}: {used:bytes} are in use, but no process is listed for them.',
  heldByUnknownRemedy:
    'A process of another user or container, or one that ended badly, may hold the memory. "sudo fuser -v /dev/nvidia*" shows who has the card open.',
  samplerEnded: 'The part of Headroom that reads the cards has ended unexpectedly and is started again.',
  samplerEndedRemedy:
    'The values shown are the last ones read. If this happens again, please report it with the log (Help menu).',
} as const;
