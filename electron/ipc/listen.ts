import { callChannel } from '../../shared/contract/channels';
import type { Reply } from '../../shared/contract/ipc';
import { message } from '../../shared/i18n/message';
import { isOwnUrl } from '../desktop/origin';
import type { Log } from '../storage/log';
import type { Answer } from './answer';

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

export interface Listening {
  readonly port: CallPort;
  /** The main frame of our window, or null while there is none. */
  readonly trustedFrame: () => Frame | null;
  readonly answer: Answer;
  readonly log: Log;
}

/**
 * The only listener: each message must come from the main frame of our own window and from our own origin, before anybody
 * looks at what it says.
 */
export function listenForCalls({ port, trustedFrame, answer, log }: Listening): void {
  port.handle(callChannel, async (event, name, argument) => {
    // Read before any await: the frame may be gone afterwards.
    if (!isTrusted(event.senderFrame, trustedFrame())) {
      log.warn('A call was refused: it did not come from the main frame of the window.');
      return { ok: false, code: 'untrusted-sender', message: message('desktop.refusedSender') };
    }
    return answer(name, argument);
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
