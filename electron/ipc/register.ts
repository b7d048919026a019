import { callChannel } from '../../shared/contract/channels';
import {
  calls,
  type ArgumentOf,
  type CallName,
  type RefusalCode,
  type Reply,
  type ResultOf,
} from '../../shared/contract/ipc';
import { message, type Message } from '../../shared/i18n/message';
import { isOwnUrl } from '../desktop/origin';
import type { Log } from '../storage/log';

type Handler<Name extends CallName> = (
  argument: ArgumentOf<Name>,
) => ResultOf<Name> | Promise<ResultOf<Name>>;

/** One handler for every call of the contract. */
export type Handlers = { readonly [Name in CallName]: Handler<Name> };

/** What a handler throws to refuse with a reason for people; any other error is a fault and only goes to the log. */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    readonly reason: Message,
  ) {
    super(reason.key);
  }
}

/** The parts of a frame that the check looks at. */
export interface Frame {
  readonly url: string;
}

/** The parts of ipcMain and its event that are used, so that a test can stand in for them. */
export interface CallPort {
  handle(
    channel: string,
    listener: (
      event: { readonly senderFrame: Frame | null },
      ...values: unknown[]
    ) => Promise<Reply<unknown>>,
  ): void;
}

export interface Registration {
  readonly port: CallPort;
  /** The main frame of our window, or null while there is none. */
  readonly trustedFrame: () => Frame | null;
  readonly handlers: Handlers;
  readonly log: Log;
}

/**
 * Answers the calls of the contract. Each message must come from the main frame of our own window and from our own
 * origin, name a call of the contract and bring an argument that fits it; only then its handler runs.
 * Results and errors go back as data.
 */
export function registerCalls({ port, trustedFrame, handlers, log }: Registration): void {
  port.handle(callChannel, async (event, name, argument) => {
    // Read before any await: the frame may be gone afterwards.
    if (!isTrusted(event.senderFrame, trustedFrame())) {
      log.warn('A call was refused: it did not come from the main frame of the window.');
      return refuse('untrusted-sender', message('desktop.refusedSender'));
    }
    if (!isCallName(name)) {
      const shown = typeof name === 'string' ? name.slice(0, 64) : typeof name;
      log.warn(`A call was refused: nothing answers to ${JSON.stringify(shown)}.`);
      return refuse('unknown-call', message('desktop.refusedCall', { name: shown }));
    }
    return answer(name, argument, handlers, log);
  });
}

/** A frame that navigated away or was disposed of is not trusted; nor is a null frame (Electron 33 and newer). */
function isTrusted(sender: Frame | null, trusted: Frame | null): boolean {
  if (sender === null || trusted === null || sender !== trusted) return false;
  try {
    return isOwnUrl(sender.url);
  } catch {
    return false; // Reading a frame that was just disposed of throws.
  }
}

function isCallName(name: unknown): name is CallName {
  return typeof name === 'string' && Object.hasOwn(calls, name);
}

async function answer(
  name: CallName,
  argument: unknown,
  handlers: Handlers,
  log: Log,
): Promise<Reply<unknown>> {
  const checked = calls[name].argument.safeParse(argument);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const problem = [issue?.path.join('.') ?? '', issue?.message ?? ''].filter(Boolean).join(': ');
    log.warn(`The call ${name} was refused: ${problem}`);
    return refuse('bad-argument', message('desktop.refusedArgument', { name, problem }));
  }
  // The schema under this name has just accepted the argument; the compiler cannot follow name and type together.
  const handler = handlers[name] as (argument: unknown) => unknown;
  try {
    return { ok: true, value: await handler(checked.data) };
  } catch (error) {
    if (error instanceof Refusal) return refuse(error.code, error.reason);
    log.error(`The call ${name} failed.`, error);
    return refuse('failed', message('desktop.callFailed', { name }));
  }
}

function refuse(code: RefusalCode, reason: Message): Reply<never> {
  return { ok: false, code, message: reason };
}
