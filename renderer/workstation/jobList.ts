import type { Job, JobMember } from '../../shared/jobs/types';

export const jobSortKeys = ['memory', 'hostMemory', 'cpu', 'age', 'name', 'user'] as const;
export type JobSortKey = (typeof jobSortKeys)[number];
export interface JobSort {
  readonly key: JobSortKey;
  readonly descending: boolean;
}

export interface ListedMember {
  readonly key: string;
  readonly member: JobMember;
  /** It is gone; its last facts are kept while somebody looks at it. */
  readonly ended: boolean;
}

export interface ListedJob {
  readonly job: Job;
  readonly members: readonly ListedMember[];
  readonly ended: boolean;
}

export interface ListWish {
  readonly sort: JobSort;
  /** The pointer or the focus is in the table: no row may move or vanish. */
  readonly held: boolean;
  /** The key of the selected row, which stays also when its process ends. */
  readonly selected: string | null;
}

/** The key of a process' row; a pid alone may be used again within one job. */
function memberKey(jobId: string, member: JobMember): string {
  return `${jobId}/${member.process.pid}-${member.process.startTime ?? '?'}`;
}

/**
 * The rows of the jobs table from those before and the jobs of now. While held, rows keep their order, new jobs come
 * last, and ended ones stay, marked as ended; otherwise the list is sorted and only the selected row outlives its end.
 */
export function listJobs(
  previous: readonly ListedJob[],
  jobs: readonly Job[],
  wish: ListWish,
): readonly ListedJob[] {
  const before = new Map(previous.map((listed) => [listed.job.id, listed]));
  const now = new Map(jobs.map((job) => [job.id, job]));
  const listed = jobs.map((job) => listJob(before.get(job.id) ?? null, job, wish));
  const ended = previous
    .filter((old) => !now.has(old.job.id) && (wish.held || isSelected(old, wish.selected)))
    .map(asEnded);
  const all = [...listed, ...ended];
  return wish.held ? inOrderOf(previous, all) : [...all].sort((a, b) => compare(a.job, b.job, wish.sort));
}

function listJob(previous: ListedJob | null, job: Job, wish: ListWish): ListedJob {
  const members = [...job.members].sort(compareMembers).map((member): ListedMember => ({
    key: memberKey(job.id, member),
    member,
    ended: false,
  }));
  const present = new Set(members.map(({ key }) => key));
  const gone = (previous?.members ?? [])
    .filter(({ key }) => !present.has(key) && (wish.held || key === wish.selected))
    .map((member): ListedMember => ({ ...member, ended: true }));
  const all = [...members, ...gone];
  const order = new Map((previous?.members ?? []).map(({ key }, index) => [key, index]));
  const kept = wish.held
    ? all.sort((a, b) => (order.get(a.key) ?? Infinity) - (order.get(b.key) ?? Infinity) || 0)
    : all.sort((a, b) => compareMembers(a.member, b.member));
  return { job, members: kept, ended: false };
}

function asEnded(listed: ListedJob): ListedJob {
  return { ...listed, ended: true, members: listed.members.map((member) => ({ ...member, ended: true })) };
}

function isSelected(listed: ListedJob, selected: string | null): boolean {
  return listed.job.id === selected || listed.members.some(({ key }) => key === selected);
}

function inOrderOf(previous: readonly ListedJob[], all: readonly ListedJob[]): readonly ListedJob[] {
  const order = new Map(previous.map((listed, index) => [listed.job.id, index]));
  const known = all.filter(({ job }) => order.has(job.id));
  const fresh = all.filter(({ job }) => !order.has(job.id));
  return [...known.sort((a, b) => (order.get(a.job.id) ?? 0) - (order.get(b.job.id) ?? 0)), ...fresh];
}

/** Launcher first, then the ranks in their order, then the rest by pid. */
function compareMembers(a: JobMember, b: JobMember): number {
  return (
    roleOrder(a) - roleOrder(b) ||
    (a.rank ?? Number.MAX_SAFE_INTEGER) - (b.rank ?? Number.MAX_SAFE_INTEGER) ||
    a.process.pid - b.process.pid
  );
}

function roleOrder(member: JobMember): number {
  switch (member.role) {
    case 'launcher':
      return 0;
    case 'rank':
    case 'notebook':
    case 'process':
      return 1;
    case 'worker':
      return 2;
  }
}

function compare(a: Job, b: Job, sort: JobSort): number {
  const sign = sort.descending ? -1 : 1;
  return compareKey(a, b, sort.key, sign) || (a.id < b.id ? -1 : 1);
}

/** Unknown values come last in both directions. */
function compareKey(a: Job, b: Job, key: JobSortKey, sign: number): number {
  const [left, right] = [sortValue(a, key), sortValue(b, key)];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  if (typeof left === 'string' && typeof right === 'string') return sign * left.localeCompare(right);
  return sign * (Number(left) - Number(right));
}

function sortValue(job: Job, key: JobSortKey): number | string | null {
  switch (key) {
    case 'memory':
      return job.memoryBytes;
    case 'hostMemory':
      return job.residentBytes;
    case 'cpu':
      return job.cpuPercent;
    case 'age':
      // An older job has the smaller start time, and a larger age.
      return job.startedAt === null ? null : -job.startedAt;
    case 'name':
      return job.title;
    case 'user':
      return job.user;
  }
}
