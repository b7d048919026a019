/**
 * Tells what is being done. On stderr, so that `npm run --silent headroom -- … --json` keeps stdout to itself.
 *
 * @param {string} text one line
 */
export function say(text) {
  process.stderr.write(`headroom: ${text}\n`);
}
