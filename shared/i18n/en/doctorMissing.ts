/** What the text cannot tell, and what to bring for a better answer. */
export const doctorMissing = {
  textOfEnd:
    'What the process printed at its end: the traceback names the call that failed and what it asked for. Paste it below; what was seen joins it.',
  numbers:
    'The message’s numbers are missing. Bring the whole line that begins with “CUDA out of memory. Tried to allocate”.',
  headOfMessage: 'The beginning of the message is missing, so how much was asked for is unknown.',
  tailOfMessage: 'The end of the message is cut off. Bring the rest of the line.',
  failingCall:
    'Which call broke is not shown, as kernels fail later than they are started. Run again with CUDA_LAUNCH_BLOCKING=1 and bring that traceback.',
  lastLine:
    'The traceback is cut before its last line, which says what was raised. Bring the text to its end.',
  frames:
    'No stack frame shown tells the phase (loading, forward, loss, optimizer, evaluation). Bring the whole traceback above the message.',
  step: 'Which step it was is not shown. Whether the first one or a late one failed tells a lasting fault from a rare batch.',
  growth:
    'One moment cannot show growth. Bring the memory printed over several steps, or let Headroom watch the next run.',
  memorySnapshot:
    'Which tensors held the memory is not shown. Two lines record it: torch.cuda.memory._record_memory_history(max_entries=200000) before the training, torch.cuda.memory._dump_snapshot("snapshot.pickle") where OutOfMemoryError is caught. Open that file here or with headroom snapshot.',
  holders:
    'Who holds the other memory is not shown. Bring nvidia-smi from the moment, from outside the container.',
  hostMemory:
    'Main memory is not shown. Bring free -h (Windows: commit charge in the task manager) from the moment.',
  reserved:
    'How much the allocator had reserved is not shown, so fragmentation can be neither seen nor ruled out.',
  kernelLog:
    'SIGKILL has no sender in the text. Bring the kernel’s log (dmesg, sacct, kubectl describe) to see whether it was the OOM killer.',
  shmSize: 'The size of /dev/shm is not shown. Bring df -h /dev/shm from inside the container.',
  openFiles: 'The limit of open files is not shown. Bring ulimit -n from the same shell.',
  otherRanks:
    'Only some ranks are in the text. Bring the logs of all ranks, and the first line that is no timeout.',
  remoteLog: 'The other end’s log is missing; it has the cause.',
  cardMeant:
    'Which card or slice the job was meant to use is not shown. Bring CUDA_VISIBLE_DEVICES and nvidia-smi -L.',
  driverLog: 'The driver’s log is missing. Bring dmesg around the time.',
  cardInUse: 'Whether the card was in use or in exclusive mode is not shown. Bring nvidia-smi -q -d COMPUTE.',
  ncclDebug: 'NCCL’s own words are missing. Run again with NCCL_DEBUG=WARN.',
  numbersEarlier: 'The card’s numbers come from an earlier line; what was free when it failed is not shown.',
  gpuIndex: 'The card’s number is not readable in this build’s message.',
} as const;
