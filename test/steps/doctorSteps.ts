/** The doctor over texts that repeat something: the beginning of a message, a traceback or a report, then what may follow. */
import { startCounting } from './countSteps';
import { repeated, report } from './report';

startCounting();
const { diagnose } = await import('../../shared/doctor/reader');

/** Small, as each step of hundreds of expressions is counted; with more of both the growths are the same. */
const size = 300;

const heads = [
  'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; ',
  'Traceback (most recent call last):\n  File "a.py", line 1, in f\n',
];
const pieces = [
  ' ',
  '[',
  '9',
  '1.00 GiB ',
  'out of memory ',
  '  File "a.py", line 1, in f\n',
  '[rank1]: a\n',
  '{"log":"a"}\n',
];

for (const head of heads)
  for (const piece of pieces)
    report(`${JSON.stringify(head.slice(0, 30))} and then ${JSON.stringify(piece)}`, size, (length) =>
      diagnose(repeated(head, piece, length)),
    );
