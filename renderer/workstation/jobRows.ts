import type { ListedJob, ListedMember } from './jobList';

/** One row of the jobs table: a job, why it is no longer healthy, one of its processes, or its workers folded into one. */
export type JobTableRow =
  | { readonly kind: 'job'; readonly key: string; readonly open: boolean; readonly listed: ListedJob }
  | { readonly kind: 'reasons'; readonly key: string; readonly parent: string; readonly listed: ListedJob }
  | {
      readonly kind: 'member';
      readonly key: string;
      readonly parent: string;
      readonly level: 2 | 3;
      readonly listed: ListedMember;
    }
  | {
      readonly kind: 'workers';
      readonly key: string;
      readonly parent: string;
      readonly open: boolean;
      readonly workers: readonly ListedMember[];
    };

/** From this many on, data-loader workers share one row that opens. */
const foldFrom = 3;

/**
 * The rows that show. Jobs are open and folded workers closed unless a person toggled them.
 */
export function tableRows(
  shown: readonly ListedJob[],
  toggled: { has(key: string): boolean },
): readonly JobTableRow[] {
  return shown.flatMap((listed): readonly JobTableRow[] => {
    const key = listed.job.id;
    const open = !toggled.has(key);
    const row: JobTableRow = { kind: 'job', key, open, listed };
    return open ? [row, ...reasonRows(listed), ...memberRows(listed, toggled)] : [row];
  });
}

function reasonRows(listed: ListedJob): readonly JobTableRow[] {
  const { id, verdict, reasons, against } = listed.job;
  const isPlain = verdict === 'healthy' || listed.ended || reasons.length + against.length === 0;
  return isPlain ? [] : [{ kind: 'reasons', key: `${id}/reasons`, parent: id, listed }];
}

function memberRows(listed: ListedJob, toggled: { has(key: string): boolean }): readonly JobTableRow[] {
  const parent = listed.job.id;
  const workers = listed.members.filter(({ member }) => member.role === 'worker');
  const asRow = (one: ListedMember): JobTableRow => ({
    kind: 'member',
    key: one.key,
    parent,
    level: 2,
    listed: one,
  });
  if (workers.length < foldFrom) return listed.members.map(asRow);
  const key = `${parent}/workers`;
  const open = toggled.has(key);
  const folded: JobTableRow = { kind: 'workers', key, parent, open, workers };
  const inside = workers.map((one): JobTableRow => ({
    kind: 'member',
    key: one.key,
    parent: key,
    level: 3,
    listed: one,
  }));
  return [
    ...listed.members.filter(({ member }) => member.role !== 'worker').map(asRow),
    folded,
    ...(open ? inside : []),
  ];
}

/** What a key does on a row of the table; null: nothing, the key goes on. */
export type RowAction = { readonly kind: 'select' | 'toggle'; readonly key: string } | null;

/** The keys of a tree grid (https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/), on the row with the given key. */
export function rowAction(rows: readonly JobTableRow[], key: string, pressed: string): RowAction {
  const index = rows.findIndex((row) => row.key === key);
  const row = rows[index];
  if (row === undefined) return null;
  const open = row.kind === 'job' || row.kind === 'workers' ? row.open : null;
  switch (pressed) {
    case 'ArrowDown':
      return select(rows[index + 1] ?? row);
    case 'ArrowUp':
      return select(rows[index - 1] ?? row);
    case 'Home':
      return select(rows[0] ?? row);
    case 'End':
      return select(rows[rows.length - 1] ?? row);
    case 'ArrowRight':
      if (open === false) return { kind: 'toggle', key };
      return select(open === true ? (rows[index + 1] ?? row) : row);
    case 'ArrowLeft':
      if (open === true) return { kind: 'toggle', key };
      return row.kind === 'job' ? select(row) : { kind: 'select', key: row.parent };
    case 'Enter':
    case ' ':
      return open === null ? select(row) : { kind: 'toggle', key };
    default:
      return null;
  }
}

function select(row: JobTableRow): RowAction {
  return { kind: 'select', key: row.key };
}
