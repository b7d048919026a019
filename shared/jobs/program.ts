/** What a process is, judged by its command line: a launcher, a notebook kernel, a Python program, a shell, … */
import type { Job, ProcessFacts } from './types';

type LauncherKind = Extract<Job['kind'], 'torchrun' | 'accelerate' | 'deepspeed' | 'mpi' | 'slurm'>;

export type Program =
  | { readonly kind: 'launcher'; readonly launcher: LauncherKind; readonly script: string | null }
  | { readonly kind: 'notebook' }
  /** A child that exists only for its parent: of Python's multiprocessing (spawn, forkserver), or by its title. */
  | { readonly kind: 'spawned' }
  | { readonly kind: 'python'; readonly script: string | null }
  | { readonly kind: 'shell' }
  | { readonly kind: 'desktop' }
  /** The first program of a machine or a container, which takes in orphans and starts no training itself. */
  | { readonly kind: 'init' }
  /** Keeps programs of many jobs, so it ties none of them together. */
  | { readonly kind: 'service' }
  | { readonly kind: 'other' };

const shells = /^-?(?:ba|da|z|fi|tc|c|k|a)?sh$/;
/** The machine's init, or one made for containers; `pause` is the first process of a Kubernetes pod. */
const inits =
  /^(?:systemd|init|tini(?:-static)?|dumb-init|docker-init|podman-init|catatonit|s6-svscan|runit(?:-init)?|runsvdir|openrc-init|dinit|finit|sinit|shepherd|launchd|my_init|pause)$/;
const services =
  /^(?:systemd|sshd|login|su|sudo|tmux(?:: server)?|screen|cron|crond|containerd.*|dockerd|docker|runc|conmon|podman|kubelet|slurmd|slurmstepd.*|supervisord|s6-.*|jupyter.*|code|node|raylet|dbus.*|gnome-terminal.*|konsole|xterm|wandb)$/;
const desktops =
  /^(?:Xorg|X|Xwayland|gnome-.*|kwin_.*|plasma.*|kded\d?|mutter.*|cinnamon|xfwm4|compiz|sway|Hyprland|weston|firefox.*|chrome|chromium.*|dwm\.exe|explorer\.exe)$/;
const mpiPrograms = /^(?:mpirun|mpiexec(?:\..*)?|orterun|orted|prterun|prted|hydra_.*|horovodrun)$/;

/** Titles that inference servers and Ray give the processes that work for them; a short name is cut after 15 characters. */
const titledChildren = /^(?:VLLM::(?:EngineCor|Worker)|sglang::(?:schedul|detokeniz|data_paral)|ray::)/;

/** Tools that watch cards through NVML and hold no memory on them. */
export const monitorNames: ReadonlySet<string> = new Set([
  'nvidia-smi',
  'nvidia-persiste',
  'nvidia-powerd',
  'nvtop',
  'nvitop',
  'gpustat',
  'nv-hostengine',
  'dcgm-exporter',
]);

/**
 * What a process is. The answer rests on its command line and short name alone and is kept with the command line, which
 * sensing reads once a process: 400 processes are asked several times a tick.
 */
export function programOf(facts: ProcessFacts): Program {
  if (facts.command === null) return readProgram(facts);
  const known = programs.get(facts.command);
  if (known !== undefined && known.name === facts.name && known.pid === facts.pid) return known.program;
  const program = readProgram(facts);
  programs.set(facts.command, { pid: facts.pid, name: facts.name, program });
  return program;
}

interface KnownProgram {
  readonly pid: number;
  readonly name: string;
  readonly program: Program;
}

const programs = new WeakMap<readonly string[], KnownProgram>();

function readProgram(facts: ProcessFacts): Program {
  const words = facts.command ?? [];
  const name = baseName(words[0] ?? '') || facts.name;
  // A systemd that is not pid 1 manages a user's services, and starts programs itself.
  if (isInitProgram(name, words) && (facts.pid === 1 || name !== 'systemd')) return { kind: 'init' };
  if (mpiPrograms.test(name))
    return { kind: 'launcher', launcher: 'mpi', script: scriptAmong(words.slice(1)) };
  if (name === 'srun') return { kind: 'launcher', launcher: 'slurm', script: scriptAmong(words.slice(1)) };
  if (shells.test(name)) return { kind: 'shell' };
  if (desktops.test(name) || desktops.test(facts.name)) return { kind: 'desktop' };
  if (titledChildren.test(words[0] ?? facts.name)) return { kind: 'spawned' };
  const python = isPython(name) ? pythonTarget(words) : { module: null, script: name, rest: words.slice(1) };
  const launcher = launcherOf(python);
  if (launcher !== null) return { kind: 'launcher', launcher, script: scriptAmong(python.rest) };
  if (
    python.module === 'ipykernel_launcher' ||
    python.module === 'ipykernel' ||
    python.module === 'colab_kernel_launcher'
  )
    return { kind: 'notebook' };
  const target = baseName(python.module ?? python.script ?? '');
  if (services.test(name) || services.test(target)) return { kind: 'service' };
  if (!isPython(name)) return { kind: 'other' };
  if (isSpawned(words)) return { kind: 'spawned' };
  return { kind: 'python', script: python.module ?? (python.script === null ? null : target) };
}

/** `busybox init` and `python3 /sbin/my_init` name the program second. */
function isInitProgram(name: string, words: readonly string[]): boolean {
  const named = name === 'busybox' || isPython(name) ? baseName(words[1] ?? '') : name;
  return inits.test(named);
}

interface PythonTarget {
  readonly module: string | null;
  readonly script: string | null;
  readonly rest: readonly string[];
}

const optionsWithValue = new Set(['-W', '-X', '-Q', '--check-hash-based-pycs']);

/** What `python [options] (-m module | -c code | script) args` runs. */
function pythonTarget(words: readonly string[]): PythonTarget {
  for (let place = 1; place < words.length; place += 1) {
    const word = words[place] ?? '';
    const rest = words.slice(place + 1);
    if (word === '-m') return { module: rest[0] ?? null, script: null, rest: rest.slice(1) };
    if (word === '-c') return { module: null, script: null, rest };
    if (optionsWithValue.has(word)) place += 1;
    else if (!word.startsWith('-')) return { module: null, script: word, rest };
  }
  return { module: null, script: null, rest: [] };
}

function launcherOf({ module, script, rest }: PythonTarget): LauncherKind | null {
  const name = baseName(script ?? '');
  if (name === 'torchrun' || module === 'torch.distributed.run' || module === 'torch.distributed.launch')
    return 'torchrun';
  if (module?.startsWith('accelerate.commands') || (name === 'accelerate' && rest[0] === 'launch'))
    return 'accelerate';
  if (name === 'deepspeed' || name === 'ds' || module?.startsWith('deepspeed.launcher')) return 'deepspeed';
  return null;
}

/** The script or module that a launcher's own arguments name. */
function scriptAmong(words: readonly string[]): string | null {
  const script = words.find((word) => /\.(?:py|sh)$/.test(word));
  if (script !== undefined) return baseName(script);
  const module = words.findIndex((word) => word === '-m' || word === '--module');
  return module < 0 ? null : (words[module + 1] ?? null);
}

function isSpawned(words: readonly string[]): boolean {
  return words.some(
    (word) =>
      word === '--multiprocessing-fork' ||
      /multiprocessing\.(?:spawn|forkserver|resource_tracker)/.test(word),
  );
}

function isPython(name: string): boolean {
  return /^(?:python|pypy)[\d.]*(?:\.exe)?$/i.test(name);
}

/** PyTorch's data-loader workers give themselves this short name. */
export function isWorkerName(name: string): boolean {
  return name.startsWith('pt_data_worker');
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/**
 * The container in a cgroup path: Docker, containerd, CRI-O and Podman name it by 64 hexadecimal digits, LXC by its
 * name. Null outside of one.
 */
export function containerOf(cgroup: string | null): string | null {
  if (cgroup === null) return null;
  return (
    /([0-9a-f]{64})(?:\.scope)?(?:\/|$)/.exec(cgroup)?.[1] ??
    /\/lxc(?:\.payload)?[./]([^/]+)/.exec(cgroup)?.[1] ??
    null
  );
}
