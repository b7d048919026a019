/** The sampler in a process of its own, so that synchronous reads and slow children never hold up a window. */
import { problemText } from '../errors';
import { backendsWith } from '../simulation/backends';
import { calmV8 } from './calmV8';
import { Sampler } from './sampler';
import type { FromSampler, ToSampler } from './samplerMessages';

calmV8();
const port = process.parentPort;
let sampler: Sampler | null = null;

function send(message: FromSampler): void {
  port.postMessage(message);
}

async function take(message: ToSampler): Promise<void> {
  switch (message.kind) {
    case 'start': {
      const { simulation, ...options } = message.options;
      sampler = new Sampler({
        ...options,
        backends: backendsWith(simulation),
        onSnapshot: (snapshot) => send({ kind: 'snapshot', snapshot }),
        log: (level, text) => send({ kind: 'log', level, text }),
      });
      sampler.start();
      return;
    }
    case 'attention':
      sampler?.setAttention(message.attention);
      return;
    case 'configure':
      await sampler?.configure(message.intervalSeconds, message.nvidiaSmiPath);
      return;
    case 'choose':
      try {
        await sampler?.choose(message.sceneId);
        send({ kind: 'chosen', request: message.request, error: null });
      } catch (error) {
        send({ kind: 'chosen', request: message.request, error: problemText(error) });
      }
      return;
    case 'stop':
      await sampler?.stop();
      send({ kind: 'stopped' });
      return;
  }
}

/** Messages are served one after the other: a scene that is being changed must not meet the next change. */
let served = Promise.resolve();
port.on('message', ({ data }: { data: ToSampler }) => {
  served = served
    .then(() => take(data))
    .catch((error: unknown) => send({ kind: 'log', level: 'error', text: `sampler: ${problemText(error)}` }));
});
