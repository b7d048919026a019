/** `nvidia-smi topo -m` (and `-p2p`): a matrix of how cards and network adapters are connected. */
import { emptyCard } from './card';
import { machineProblem } from '../problems';
import { emptyReading } from './reading';
import type { CardLink, GpuReading } from '../types';

/** Devices head the columns: `GPU0`, `NIC0`, in older drivers the adapter's own name (`mlx5_0`). */
const deviceName = /^(?:GPU\d{1,3}|NIC\d{1,3}|[a-z][a-z0-9]*_(?:bond_)?\d{1,3})$/;
const code = /^(?:[A-Z]{1,4}\d{0,3}|N\/A)$/;

/** The header is underlined with terminal codes; a paste may have lost their escape character. */
// eslint-disable-next-line no-control-regex -- the escape character is what is looked for
const terminalCodes = /\u001b?\[\d{0,3}(?:;\d{1,3}){0,3}m/g;

function tokens(line: string): string[] {
  return line.slice(0, 4000).replace(terminalCodes, '').trim().split(/\s+/);
}

/** The devices of a header line, or null where the line is none: only devices, then the affinity columns. */
export function topologyHeader(line: string): string[] | null {
  if (!line.includes('GPU')) return null;
  const words = tokens(line);
  const end = words.findIndex((word) => !deviceName.test(word));
  const devices = end < 0 ? words : words.slice(0, end);
  const rest = end < 0 ? '' : words.slice(end).join(' ');
  const isHeader = devices[0]?.startsWith('GPU') === true && /^$|^(?:CPU|NUMA|GPU NUMA)\b/.test(rest);
  return isHeader ? devices : null;
}

/**
 * Each pair of devices once, in the order of the matrix. Cards are those of the header. A matrix with fewer rows than
 * columns, or a row that ends early, was cut.
 */
export function readTopology(text: string): GpuReading {
  let devices: string[] = [];
  let links = new Map<string, CardLink>();
  let rows = 0;
  let cut = false;
  for (const line of text.split('\n')) {
    const header = topologyHeader(line);
    if (header !== null) {
      devices = header;
      links = new Map();
      rows = 0;
      cut = false;
      continue;
    }
    const [from = '', ...cells] = tokens(line);
    const row = devices.indexOf(from);
    if (row < 0) continue;
    rows++;
    devices.forEach((to, column) => {
      const kind = cells[column];
      if (kind === undefined || !code.test(kind)) cut = true;
      else if (column !== row) {
        const key = column > row ? `${from}/${to}` : `${to}/${from}`;
        if (!links.has(key)) links.set(key, { from, to, kind, link: null });
      }
    });
  }
  const indices = devices.filter((name) => name.startsWith('GPU')).map((name) => Number(name.slice(3)));
  return {
    ...emptyReading('topo'),
    cards: indices.map((index) => ({ ...emptyCard(), index })),
    links: [...links.values()],
    problems: cut || rows < devices.length ? [machineProblem('input-cut')] : [],
  };
}
