/** What a line of a recording must hold before anything is made of it: a file may have been written by anybody. */
import * as z from 'zod';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { message } from '../../shared/i18n/message';

const spoken = z.looseObject({
  key: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
/** `watch --json` writes texts in the reader's language; they are shown as they stand. */
const spokenOrWritten = z.union([
  spoken,
  z.string().transform((words) => message('common.asWritten', { words })),
]);
const amount = z.number().nullable();
const word = z.string().nullable();
const index = z.int().min(0);
const optionalIndex = index.nullable();

const slice = z.looseObject({
  index: optionalIndex,
  uuid: word,
  profile: word,
  gpuInstance: amount,
  computeInstance: amount,
  memoryTotalBytes: amount,
  memoryUsedBytes: amount,
});
const card = z.looseObject({
  index,
  uuid: word,
  name: word,
  pciBusId: word,
  memoryTotalBytes: amount,
  memoryUsedBytes: amount,
  memoryFreeBytes: amount,
  utilizationPercent: amount,
  temperatureC: amount,
  powerWatts: amount,
  throttleReasons: z.array(z.string()),
  mig: z.array(slice),
  lost: z.boolean(),
});
const gpuProcess = z.looseObject({
  gpuIndex: optionalIndex,
  gpuUuid: word,
  pid: amount,
  type: word,
  name: word,
  usedBytes: amount,
});
const facts = z.looseObject({ pid: z.number(), name: z.string(), command: z.array(z.string()).nullable() });
const host = z.looseObject({
  hostname: z.string(),
  memoryTotalBytes: amount,
  memoryUsedBytes: amount,
  swapUsedBytes: amount,
  shmTotalBytes: amount,
  shmUsedBytes: amount,
  cpuPercent: amount,
});

function snapshotWith(text: z.ZodType) {
  const reason = z.looseObject({ sign: z.string(), text, weight: z.number() });
  const job = z.looseObject({
    id: z.string(),
    title: z.string(),
    user: word,
    members: z.array(
      z.looseObject({
        process: facts,
        cards: z.array(z.looseObject({ gpuIndex: index, usedBytes: amount })),
      }),
    ),
    memoryBytes: amount,
    residentBytes: amount,
    reasons: z.array(reason),
    against: z.array(reason),
  });
  return z.looseObject({
    time: z.number(),
    cardsReadAt: amount,
    intervalSeconds: z.number().optional(),
    source: z.union([
      z.looseObject({ kind: z.literal('machine'), sceneId: z.null() }),
      z.looseObject({ kind: z.literal('simulated'), sceneId: z.string() }),
    ]),
    driverVersion: word,
    cudaVersion: word,
    cards: z.array(card),
    processes: z.array(gpuProcess),
    jobs: z.array(job),
    host,
    forecast: z.array(z.looseObject({ gpuIndex: index })),
    imbalance: z.array(z.looseObject({ what: text, why: text, remedy: text })),
    alerts: z.array(z.looseObject({ id: z.string(), rule: z.string(), text })),
    problems: z.array(z.looseObject({ code: z.string(), message: text, remedy: text })),
  });
}

const recorded = snapshotWith(spoken);
const printed = snapshotWith(spokenOrWritten);

/** The Snapshot that a value is, as `watch --record` or `watch --json` wrote it; null where it is none. */
export function readSnapshot(value: unknown): Snapshot | null {
  if (isSnapshot(value)) return value;
  const { data } = printed.safeParse(value);
  return isSnapshot(data) ? data : null;
}

function isSnapshot(value: unknown): value is Snapshot {
  return recorded.safeParse(value).success;
}
