/** What the operating system says of a failure. */

/** The code of a system's error, such as `ENOENT`; null for anything else that was thrown. */
export function errorCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/** The system's words for people, e.g. `EACCES: permission denied, open '…'`. */
export function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
