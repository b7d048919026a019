/** Names of users by their number, from /etc/passwd and, for users kept elsewhere (LDAP), from `getent`. */
import { readFileSync, statSync } from 'node:fs';
import { findExecutable, searchPath } from '../programs/programCall';
import { runOnce } from '../programs/runOnce';

const passwdFile = '/etc/passwd';
const refreshMs = 60_000;

export class UserNames {
  private names: ReadonlyMap<number, string> = new Map();
  private readonly elsewhere = new Map<number, string | null>();
  private passwdTime = -1;
  private checkedAt = -Infinity;

  /** The user's name; null where it is not known (yet): another directory is asked once and answers later. */
  nameOf(uid: number, now: number): string | null {
    if (now - this.checkedAt > refreshMs) this.refresh(now);
    const name = this.names.get(uid) ?? this.elsewhere.get(uid);
    if (name === undefined) this.ask(uid);
    return name ?? null;
  }

  private refresh(now: number): void {
    this.checkedAt = now;
    try {
      const changed = statSync(passwdFile).mtimeMs;
      if (changed === this.passwdTime) return;
      this.passwdTime = changed;
      this.names = parsePasswd(readFileSync(passwdFile, 'utf8'));
    } catch {
      // No such file on this system: `getent` may know the names.
      this.names = new Map();
    }
  }

  private ask(uid: number): void {
    this.elsewhere.set(uid, null);
    const getent = process.platform === 'linux' ? findExecutable('getent', searchPath()) : null;
    if (getent === null) return;
    const call = { command: getent, leadingArguments: ['passwd'], environment: {} };
    void runOnce(call, [String(uid)], { timeoutMs: 5000, maxBytes: 64 * 1024 }).then((result) => {
      if (result.kind !== 'ended' || result.exitCode !== 0) return;
      this.elsewhere.set(uid, parsePasswd(result.text).get(uid) ?? null);
    });
  }
}

/** The names by number in the text of a passwd file; lines of another shape are passed over. */
export function parsePasswd(text: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [name, , uid] = line.split(':');
    if (name !== undefined && uid !== undefined && /^\d+$/.test(uid) && !names.has(Number(uid)))
      names.set(Number(uid), name);
  }
  return names;
}
