/** The script check beside the page: parsing ten thousand lines takes half a second, and a page must not wait. */
import { check, fileKind } from '../../shared/check/check';
import type { CheckAnswer, CheckQuestion } from './runCheck';

self.addEventListener('message', (event: MessageEvent<CheckQuestion>) => {
  const { id, name, text } = event.data;
  const kind = fileKind(name, text);
  const answer: CheckAnswer = { id, findings: kind === null ? null : check(text, kind) };
  self.postMessage(answer);
});
