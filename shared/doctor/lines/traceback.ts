/** The lines of which a traceback of Python, IPython or `rich` is made. */

export function startsTraceback(text: string): boolean {
  return /Traceback \(most recent call last\)/.test(text);
}

/** The class that a notebook names at the head of a traceback; null where the head names none. */
export function classAtHead(text: string): string | null {
  return namedHead.exec(text)?.[1] ?? null;
}

/** A frame by its own form, wherever it stands. */
export function isFrame(text: string): boolean {
  return frame.test(text);
}

/** Whether a line can stand between the head of a traceback and what was raised: a frame, its code, a mark, a gap. */
export function isInsideTraceback(text: string): boolean {
  return inside.test(text) || frame.test(text);
}

/** The class of an exception and what it says: the last line of a traceback. */
export function isRaised(text: string): boolean {
  return raised.test(text);
}

/** Whether a line is a launcher's frame, or an error that only reports how a child ended. */
export function comesFromLauncher(text: string): boolean {
  return ofLauncher.test(text);
}

const namedHead = /^([A-Za-z_][\w.]{0,80}) +Traceback \(most recent call last\)/;
const frame =
  /^\s*File ["'].+, line \d+|\.(?:py|cpp):\d+ in \w|^(?:Cell|Input) In ?\[|^File \S+:\d+, in |^<ipython-input-|^\S{1,300}\.py in [\w<]|^\s*❱ ?\d+|^\s*-{1,4}> ?\d+/;
const inside = /^\s+\S|^\s*[❱>^]|^\s*-{1,4}>|^\s*$|^\.{2,}$|^-{20,}$/;
const raised = /^(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,80}(?::\s|\s*$)/;
const ofLauncher =
  /torch[\\/]distributed[\\/](?:run|launch|launcher)|accelerate[\\/]commands|bin[\\/](?:torchrun|accelerate|deepspeed)\b|deepspeed[\\/]launcher|ChildFailedError|CalledProcessError|ProcessExitedException|UnexpectedStatusException|^SystemExit/;
