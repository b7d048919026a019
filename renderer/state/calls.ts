import type { Bridge } from '../../shared/contract/bridge';
import type { ArgumentOf, CallName, Reply, ResultOf } from '../../shared/contract/ipc';
import { message } from '../../shared/i18n/message';

/**
 * Asks main. A call that is not answered at all (main is gone, the channel refuses) becomes a refusal like any other,
 * so that callers have one kind of failure to show.
 */
export async function ask<Name extends CallName>(
  bridge: Bridge,
  name: Name,
  argument: ArgumentOf<Name>,
): Promise<Reply<ResultOf<Name>>> {
  try {
    return await bridge.call(name, argument);
  } catch {
    return { ok: false, code: 'failed', message: message('app.failedTitle') };
  }
}
