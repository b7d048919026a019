/** The state of a socket that waits for connections: TCP_LISTEN in the kernel's include/net/tcp_states.h. */
const listening = '0A';

/**
 * The ports on which something listens, from the text of /proc/net/tcp or /proc/net/tcp6: lines of
 * `sl local_address rem_address st …`, the address and port in hexadecimal
 * (https://docs.kernel.org/networking/proc_net_tcp.html). Lines that are none are passed over.
 */
export function parseListeningPorts(text: string): readonly number[] {
  return text.split('\n').flatMap((line) => {
    const [, local, , state] = line.trim().split(/\s+/, 4);
    const port = state === listening ? /:([0-9A-F]{4})$/.exec(local ?? '')?.[1] : undefined;
    return port === undefined ? [] : [Number.parseInt(port, 16)];
  });
}

/**
 * Whether a text of /proc/net/tcp has come to sockets that do not listen: the kernel lists those that do before all
 * others, so nothing more is to be learnt from the rest.
 */
export function tellsOthers(text: string): boolean {
  const state = /^\s*\d+: \S+ \S+ (\w\w) /.exec(lastWholeLine(text))?.[1];
  return state !== undefined && state !== listening;
}

/** The last line that a line end follows, or nothing. */
function lastWholeLine(text: string): string {
  const end = text.lastIndexOf('\n');
  return end < 0 ? '' : text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
}

/** Whether such a text holds a socket that waits for connections on the port, which is quicker than reading all of it. */
export function listensOn(text: string, port: number): boolean {
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  return new RegExp(`:${local} [0-9A-F]+:0000 ${listening}\\s`).test(text);
}
