/** The doctor beside the page. */
import { excerptOf, readSource } from './readSource';
import type { DoctorQuestion, DoctorReply } from './runDoctor';

const answer = (reply: DoctorReply): void => self.postMessage(reply);

self.addEventListener('message', (event: MessageEvent<DoctorQuestion>) => {
  const question = event.data;
  reply(question).catch((error: unknown) => {
    answer({
      id: question.id,
      kind: 'failed',
      reason: error instanceof Error ? error.message : String(error),
    });
  });
});

async function reply(question: DoctorQuestion): Promise<void> {
  const { id } = question;
  switch (question.kind) {
    case 'read': {
      const reading = await readSource(question.source, (share) => answer({ id, kind: 'progress', share }));
      answer({ id, kind: 'reading', reading });
      return;
    }
    case 'excerpt':
      answer({ id, kind: 'excerpt', excerpt: await excerptOf(question.source, question.line) });
  }
}
