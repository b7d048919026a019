/** Measuring a plan with the person's own Python. */
export const measure = {
  title: 'Measure here',
  intro:
    'Runs two steps of this plan with your own Python, random weights and the built-in sample, and keeps what it took. Nothing is downloaded.',
  python: 'Python: {path}',
  noPython: 'No Python is chosen yet.',
  choosePython: 'Choose Python…',
  choosePythonTitle: 'Choose the Python to measure with',
  choosePythonButton: 'Use this Python',
  start: 'Measure two steps…',
  stop: 'Stop',
  stopping: 'Stopping…',
  phaseStarting: 'Starting: {elapsed:duration}',
  phaseRunning: 'Running: {elapsed:duration} of at most {limit:duration}',

  askTitle: 'Measure here',
  ask: 'Run two steps of {name} with your Python?',
  askDetail: 'This runs on the cards of this machine, in a folder of its own that is removed afterwards:',
  askEnds: 'It is ended after {limit:duration} at the latest, and with Headroom.',
  askButton: 'Measure',
  cancel: 'Cancel',

  measured:
    'Measured: the allocator peaked at {measured:bytes} on rank {rank}; {planned:bytes} were planned ({share}).',
  noNumbers: 'It ran, but no card was used: PyTorch found none.',
  stopped: 'Stopped before it was done.',
  timedOut: 'It was ended after {limit:duration} without being done.',
  flooded: 'It was ended because it printed without end.',
  notStarted: 'Python could not be started ({code}). Choose another one.',
  notPython: 'The chosen program did not answer as Python does. Choose another one.',
  torchCards: {
    one: 'PyTorch {torch} of this Python sees {count} card; the plan needs {world}.',
    other: 'PyTorch {torch} of this Python sees {count} cards; the plan needs {world}.',
  },
  missing: 'This Python has no {packages}. Install what the plan needs: {command}',
  failed: 'The run failed (exit code {code}).',
  signalled: 'The run was ended by {signal}.',
  cause: 'Most likely: {cause}',
  openInDoctor: 'Open in the Doctor',
  output: 'Output',

  readOnly: 'Read-only mode: nothing is started.',
  busy: 'A measurement is running already.',
  tooFewCards: {
    one: 'The plan needs {world} cards, and this machine has {count}.',
    other: 'The plan needs {world} cards, and this machine has {count}.',
  },
  noCards: 'No card was found on this machine, so there is nothing to measure on.',
  manyNodes: 'The plan is for several machines; only what runs on this one can be measured.',
  quantised: 'QLoRA quantises weights as it loads them, so it cannot be measured with random ones.',
  nvme: 'The plan moves states to an NVMe folder that only you can choose; it is not measured here.',
  folderFailed: 'The folder to measure in cannot be made: {problem}',
} as const;
