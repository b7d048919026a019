/** @type {Set<() => void>} */
const actions = new Set();
let listening = false;

/**
 * Does something when this process ends, whether by itself or by Ctrl+C, `kill` or a closed terminal.
 *
 * @param {() => void} action must be synchronous
 * @returns {() => void} forgets the action again
 */
export function onEnd(action) {
  listen();
  actions.add(action);
  return () => actions.delete(action);
}

function listen() {
  if (listening) return;
  listening = true;
  process.on('exit', runAll);
  for (const [signal, number] of /** @type {const} */ ([
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ])) {
    process.on(signal, () => process.exit(128 + number));
  }
}

function runAll() {
  for (const action of actions) {
    actions.delete(action);
    action();
  }
}
