import type { ArgumentOf, CallName, Reply, ResultOf } from '../../../shared/contract/ipc';
import type { RunningApp } from './launchApp';

/** Makes a call of the contract from the app's page, as the page itself does. */
export function callFromPage<Name extends CallName>(
  app: RunningApp,
  name: Name,
  argument: ArgumentOf<Name>,
): Promise<Reply<ResultOf<Name>>> {
  return app.window.evaluate(`headroom.call(${JSON.stringify(name)}, ${JSON.stringify(argument)})`);
}

/** The value of a call that must be answered; throws the refusal otherwise. */
export async function valueOf<Name extends CallName>(
  app: RunningApp,
  name: Name,
  argument: ArgumentOf<Name>,
): Promise<ResultOf<Name>> {
  const reply = await callFromPage(app, name, argument);
  if (!reply.ok) throw new Error(`${name} was refused: ${reply.code} ${JSON.stringify(reply.message)}`);
  return reply.value;
}
