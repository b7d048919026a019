/** `inspect` over texts that repeat something: the head of every output, then what may stand below it, and wrappers. */
import { startCounting } from './countSteps';
import { repeated, report } from './report';

startCounting();
const { readSaved } = await import('../../shared/gpu/smi/saved');

const size = 200;

const heads = [
  '',
  '| NVIDIA-SMI 580.65.06   Driver Version: 580.65.06      CUDA Version: 13.0     |\n',
  '<?xml version="1.0" ?>\n<nvidia_smi_log><gpu id="00000000:01:00.0">',
  '==============NVSMI LOG==============\nGPU 00000000:01:00.0\n',
  'index, name, memory.used [MiB]\n',
  '# gpu pid type command\n',
];
const pieces = [
  ...[
    '\n',
    ' ',
    '\t',
    '|',
    '+',
    '-',
    '=',
    '#',
    '# ',
    '> ',
    '[',
    '[ ',
    '[N/A], ',
    ', ',
    '"',
    '"\\',
    '\\n',
    '<',
    '<br>',
    '<a>',
    '</a>',
    '&',
    '&#1;',
  ],
  ...[
    'GPU ',
    'GPU 0: ',
    'GPU 0: a\n',
    '| N/A ',
    '|  0  a ',
    'MiB / ',
    '1, ',
    '0, a\n',
    'a: ',
    'Link 0: ',
    'nvidia-smi ',
    '$ nvidia-smi\n',
    '```\n',
    'bash: ',
  ],
  ...[
    'nvidia-smi: ',
    'NVML: ',
    'Failed to initialize NVML: ',
    '\u001b[',
    '\u001b[1m',
    '2026-11-29T14:38:02Z ',
    'INFO ',
    '0: ',
    'a | ',
    '[a] ',
    '\r',
    '\ud800',
    '_',
    '. ',
  ],
];

for (const head of heads)
  for (const piece of pieces)
    report(`${JSON.stringify(head.slice(0, 30))} and then ${JSON.stringify(piece)}`, size, (length) =>
      readSaved(repeated(head, piece, length)),
    );
