import {
  calls,
  type ArgumentOf,
  type CallName,
  type RefusalCode,
  type Reply,
  type ResultOf,
} from '../../shared/contract/ipc';
import { message, type Message } from '../../shared/i18n/message';
import type { Log } from '../storage/log';

type Handler<Name extends CallName> = (
  argument: ArgumentOf<Name>,
) => ResultOf<Name> | Promise<ResultOf<Name>>;

/** One handler for every call of the contract. */
export type Handlers = { readonly [Name in CallName]: Handler<Name> };

/** What a handler throws to refuse with a reason for people; any other error is a fault and only goes to the log. */
export class CallRefusal extends Error {
  constructor(
    readonly code: RefusalCode,
    readonly reason: Message,
  ) {
    super(reason.key);
  }
}

/** Answers a call by its name and argument, both as they came. Never rejects. */
export type Answer = (name: unknown, argument: unknown) => Promise<Reply<unknown>>;

/**
 * Answers the calls of the contract: a call must be one of it and bring an argument that fits; only then its handler runs.
 * Results and errors go back as data.
 */
export function answerWith(handlers: Handlers, log: Log): Answer {
  return async (name, argument) => {
    if (!isCallName(name)) {
      const shown = typeof name === 'string' ? name.slice(0, 64) : typeof name;
      log.warn(`A call was refused: nothing answers to ${JSON.stringify(shown)}.`);
      return refuse('unknown-call', message('desktop.refusedCall', { name: shown }));
    }
    return answer(name, argument, handlers, log);
  };
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
    if (error instanceof CallRefusal) return refuse(error.code, error.reason);
    log.error(`The call ${name} failed.`, error);
    return refuse('failed', message('desktop.callFailed', { name }));
  }
}

function refuse(code: RefusalCode, reason: Message): Reply<never> {
  return { ok: false, code, message: reason };
}
