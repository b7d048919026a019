/** The planner beside the page. */
import { PlanDesk } from './planDesk';
import type { PlanReply, PlanWorkMessage } from './runPlan';

/** Planning goes on when the post that has come meanwhile was read. */
const workMilliseconds = 12;

const channel = new MessageChannel();
let waiting: (() => void)[] = [];
channel.port1.onmessage = () => {
  lastPause = performance.now();
  const resumed = waiting;
  waiting = [];
  for (const resume of resumed) resume();
};
let lastPause = performance.now();

/** Steps are short, and going through the post takes longer than some of them. */
async function pause(): Promise<void> {
  if (performance.now() - lastPause < workMilliseconds) return;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}

const desk = new PlanDesk(pause, () => performance.now());

self.addEventListener('message', ({ data }: MessageEvent<PlanWorkMessage>) => {
  void desk.take(data, (reply) => {
    const message: PlanReply = { ...reply, id: data.id };
    self.postMessage(message);
  });
});
