/** Real processes that look like training jobs: `sh` under the name and with the environment of what it plays. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../sensing/support';

/** Says its name, starts its workers, and waits until the test is over; every process holds the test's pipe as fd 3. */
const script = `
exec 3<&0
[ -n "$IGNORES_TERM" ] && trap '' TERM
i=0
while [ "$i" -lt "\${WORKERS:-0}" ]; do
  ROLE="$ROLE.worker$i" WORKERS=0 python3 train.py <&3 &
  i=$((i+1))
done
if [ "\${ROLE#*.worker}" != "$ROLE" ]; then printf pt_data_worker > /proc/$$/comm; fi
read -r stat < /proc/$$/stat
echo "$stat" > "$FOLDER/pids/$ROLE"
read -r forever <&3
`;

/** torchrun as far as it matters here: one rank a card, each in its own session; SIGTERM is handed on to the ranks. */
const torchrun = `
exec 3<&0
ranks=
r=0
while [ "$r" -lt "$NPROC" ]; do
  ROLE="$NAME.rank$r" RANK=$r LOCAL_RANK=$r WORLD_SIZE=$NPROC LOCAL_WORLD_SIZE=$NPROC MASTER_ADDR=127.0.0.1 \\
    MASTER_PORT=$PORT TORCHELASTIC_RUN_ID="\${TORCHELASTIC-none}" \\
    TORCHELASTIC_ERROR_FILE="/tmp/torchelastic_\${FOLDER_NAME:-$NAME}/none_x/attempt_0/$r/error.json" \\
    setsid $WRAPPER python3 train.py <&3 &
  ranks="$ranks $!"
  r=$((r+1))
done
trap 'kill -TERM $ranks 2>/dev/null; exit 0' TERM
read -r stat < /proc/$$/stat
echo "$stat" > "$FOLDER/pids/$NAME.launcher"
wait
`;

/**
 * A tmux server as far as it matters here: under that title, adopting every orphan below it (PR_SET_CHILD_SUBREAPER, a
 * call that only Perl among the programs of every Debian can make), and starting torchrun in a pane.
 */
const tmuxServer = `
use POSIX;
$0 = 'tmux: server';
$SIG{CHLD} = 'IGNORE';
my %prctl = (x86_64 => 157, aarch64 => 167);
syscall($prctl{(POSIX::uname())[4]}, 36, 1, 0, 0, 0) == 0 or die 'no sub-reaper';
if (fork() == 0) { $SIG{CHLD} = 'DEFAULT'; exec 'python3', 'torchrun', 'train.py' or die }
open(my $said, '>', "$ENV{FOLDER}/pids/$ENV{NAME}.tmux") or die;
print $said "$$\\n";
close $said;
sleep 1 while 1;
`;

/** Starts a rank and becomes a program that never collects it, so that the rank stays as a zombie once it has ended. */
const carelessParent = `
exec 3<&0
python3 train.py <&3 &
read -r stat < /proc/$$/stat
echo "$stat" > "$FOLDER/pids/$ROLE.parent"
exec cat <&3
`;

/** Forks twice into a session of its own, as a service does; the first process ends at once. */
const doubleFork = 'exec 3<&0; (setsid python3 train.py <&3 &) &';

export class RealJobs {
  readonly folder = mkdtempSync(join(tmpdir(), 'headroom-ending-'));
  private readonly children: ChildProcess[] = [];
  /** Written to by nobody; the processes wait for it to end, and it ends with this test. */
  private readonly forever: { readonly writer: number; readonly reader: number };

  constructor() {
    chmodSync(this.folder, 0o777);
    mkdirSync(join(this.folder, 'pids'), { mode: 0o777 });
    chmodSync(join(this.folder, 'pids'), 0o777);
    mkdirSync(join(this.folder, 'bin'));
    symlinkSync('/bin/sh', join(this.folder, 'bin', 'python3'));
    writeFileSync(join(this.folder, 'train.py'), script);
    writeFileSync(join(this.folder, 'torchrun'), torchrun);
    writeFileSync(join(this.folder, 'tune'), torchrun);
    writeFileSync(join(this.folder, 'wrapper.sh'), '"$@"\nexit $?\n');
    writeFileSync(join(this.folder, 'careless.sh'), carelessParent);
    writeFileSync(join(this.folder, 'service.sh'), doubleFork);
    writeFileSync(join(this.folder, 'tmux.pl'), tmuxServer);
    const fifo = join(this.folder, 'forever');
    execFileSync('mkfifo', [fifo]);
    const writer = openSync(fifo, 'r+');
    this.forever = { writer, reader: openSync(fifo, 'r') };
    onTestFinished(() => this.dispose());
  }

  /** Starts `python3 torchrun train.py`; the ranks are called NAME.rank0, NAME.rank1, … */
  torchrun(name: string, environment: Readonly<Record<string, string>> = {}, uid?: number): ChildProcess {
    return this.start(
      [environment['LAUNCHER'] ?? 'torchrun', 'train.py'],
      { NAME: name, NPROC: '2', PORT: '29517', ...environment },
      uid,
    );
  }

  /** Starts one `python3 train.py`, under another user where one is given. */
  single(role: string, environment: Readonly<Record<string, string>> = {}, uid?: number): ChildProcess {
    return this.start(['train.py'], { ROLE: role, ...environment }, uid);
  }

  /** A torchrun in a tmux: NAME.tmux is the server, the rest as in `torchrun`. */
  tmux(name: string): ChildProcess {
    return this.start(['tmux.pl'], { NAME: name, NPROC: '2', PORT: '29521' }, undefined, 'perl');
  }

  /** A rank under a parent that will never collect it: ROLE.parent. */
  careless(role: string, environment: Readonly<Record<string, string>> = {}): ChildProcess {
    return this.start(['careless.sh'], { ROLE: role, ...environment }, undefined, 'sh');
  }

  /** A training process that forked twice into a session of its own. */
  service(role: string): ChildProcess {
    return this.start(['service.sh'], { ROLE: role }, undefined, 'sh');
  }

  /** A training process under nohup, whose shell is gone. */
  nohup(role: string): ChildProcess {
    return this.start(
      ['-c', 'exec 3<&0; nohup python3 train.py <&3 >/dev/null 2>&1 &'],
      { ROLE: role },
      undefined,
      'sh',
    );
  }

  private start(
    words: readonly string[],
    environment: Readonly<Record<string, string>>,
    uid?: number,
    program = 'python3',
  ): ChildProcess {
    const child = spawn(program, words, {
      cwd: this.folder,
      env: { PATH: `${join(this.folder, 'bin')}:/usr/bin:/bin`, FOLDER: this.folder, ...environment },
      stdio: [this.forever.reader, 'ignore', 'ignore'],
      detached: true,
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    this.children.push(child);
    return child;
  }

  /** The pid of a role, once its process has said its name. */
  async pid(role: string): Promise<number> {
    const file = join(this.folder, 'pids', role);
    // The file is there a moment before its one line is; a tool that made both at once would be a process of the job.
    const isWritten = () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');
    await until(`the pid of ${role}`, isWritten);
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  }

  async pids(...roles: readonly string[]): Promise<readonly number[]> {
    return Promise.all(roles.map((role) => this.pid(role)));
  }

  private dispose(): void {
    closeSync(this.forever.writer);
    closeSync(this.forever.reader);
    for (const child of this.children) child.kill('SIGKILL');
    for (const name of readdirSync(join(this.folder, 'pids')))
      endQuietly(Number.parseInt(readFileSync(join(this.folder, 'pids', name), 'utf8'), 10));
    // What is being ended may still write its pid.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** Whether a process lives; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return false;
    throw error;
  }
}

export async function untilGone(...pids: readonly number[]): Promise<void> {
  await until('their end', () => !pids.some(isAlive));
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
