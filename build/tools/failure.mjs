/** A failure that a person can act on. It is shown as one line, without a stack. */
export class Failure extends Error {}

/**
 * Runs the body of a script and turns every error into one line on stderr and exit code 1.
 * An error that is not a {@link Failure} is a fault of the build itself, so its stack is shown too.
 *
 * @param {() => Promise<number | void>} body gives the exit code; nothing means 0
 */
export async function runScript(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    const known = error instanceof Failure ? error.message : systemFailure(error);
    if (known !== null) process.stderr.write(`headroom: ${known}\n`);
    else process.stderr.write(`headroom: the build itself failed.\n${stackOf(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * The operating system's refusals that need no stack to understand.
 *
 * @param {unknown} error
 * @returns {string | null} one line, or null when the error is something else
 */
export function systemFailure(error) {
  if (!(error instanceof Error) || !('code' in error)) return null;
  const where = 'path' in error && typeof error.path === 'string' ? ` (${error.path})` : '';
  switch (error.code) {
    case 'ENOSPC':
      return `the disk is full${where}. Free about 1 GB, then run the same command again.`;
    case 'EROFS':
      return `the file system is read-only${where}. Clone the project to a folder that can be written.`;
    case 'EACCES':
    case 'EPERM':
      return `permission denied${where}. Check who owns the folder, then run the same command again.`;
    default:
      return null;
  }
}

/** @param {unknown} error */
function stackOf(error) {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
