import { GiB, MiB } from '../../../../../shared/units';

/**
 * What training jobs do with the memory of a card, as levels over time: those that end in a lack of memory, and those that
 * only look like it for a while.
 */
export interface JobKind {
  readonly name: string;
  readonly grows: boolean;
  readonly make: (job: Job) => Course;
}

/** A card, a bare context, and a level that is reached in the first seconds of training. */
interface Job {
  readonly random: Random;
  readonly capacity: number;
  readonly context: number;
  readonly base: number;
}

/** Bytes at each second since the start, asked for in ascending order, and how long the job goes on if nothing ends it. */
interface Course {
  readonly level: (second: number) => number;
  readonly seconds: number;
  /** An alert before this second is no fault: what goes on looked the same as a leak until then. */
  readonly knowableFrom?: number;
}

type Random = () => number;

export const between = (random: Random, low: number, high: number): number => low + (high - low) * random();
export const logBetween = (random: Random, low: number, high: number): number =>
  low * (high / low) ** random();

const startSeconds = 8;

/** The bare context, weights and optimizer in a few jumps, and then what training does. */
function trained(job: Job, course: (second: number) => number): (second: number) => number {
  return (second) => {
    if (second < 3) return job.context;
    if (second < startSeconds) return job.context + ((job.base - job.context) * Math.floor(second - 2)) / 10;
    return course(second - startSeconds);
  };
}

/** A level that steps at random moments do something to. */
function perStep(stepSeconds: number, step: () => void): (second: number) => void {
  let next = 0;
  return (second) => {
    for (; next <= second; next += stepSeconds) step();
  };
}

const room = (job: Job): number => job.capacity - job.base;
const spare = (job: Job): number => 0.97 * job.capacity - job.base;

const runOut: readonly JobKind[] = [
  {
    name: 'fast leak after training',
    grows: true,
    make: (job) => {
      const quiet = between(job.random, 10, 60);
      const slope = room(job) / between(job.random, 60, 120);
      return { seconds: 400, level: trained(job, (t) => job.base + slope * Math.max(0, t - quiet)) };
    },
  },
  {
    name: 'leak from the bare context on',
    grows: true,
    make: ({ random, capacity, context }) => {
      const slope = (capacity - context) / between(random, 60, 250);
      return { seconds: 400, level: (t) => context + slope * Math.max(0, t - 2) };
    },
  },
  {
    name: 'keys and values that grow under releases',
    grows: true,
    make: (job) => {
      const grown = logBetween(job.random, 0.0007, 0.003) * job.capacity;
      let kept = 0;
      let cached = 0;
      let failed = false;
      const go = perStep(between(job.random, 0.15, 0.5), () => {
        const before = kept;
        kept += grown;
        // The allocator gives back its cached blocks where the next does not fit, and fails where that is not enough.
        if (job.base + cached + before + kept > job.capacity) cached = 0;
        if (job.base + before + kept > job.capacity) failed = true;
        cached += before;
      });
      const level = trained(job, (t) => {
        go(t);
        return failed ? Number.POSITIVE_INFINITY : job.base + cached + kept;
      });
      return { seconds: 900, level };
    },
  },
  {
    name: 'a step each epoch',
    grows: true,
    make: (job) => {
      const epoch = between(job.random, 12, 90);
      const step = room(job) / (Math.floor(between(job.random, 4, 12)) - 0.5);
      return { seconds: 1500, level: trained(job, (t) => job.base + step * Math.floor(t / epoch)) };
    },
  },
  {
    name: 'fragmentation that creeps',
    grows: true,
    make: (job) => {
      const seconds = logBetween(job.random, 100, 800);
      const piece = between(job.random, 20, 200) * MiB;
      const share = room(job) / seconds / piece;
      let taken = 0;
      const go = perStep(0.25, () => {
        for (let chance = share / 4; chance > 0; chance -= 1)
          if (job.random() < chance) taken += piece * between(job.random, 0.5, 1.5);
      });
      const level = trained(job, (t) => {
        go(t);
        return job.base + taken;
      });
      return { seconds: 1300, level };
    },
  },
  {
    name: 'leak under evaluation spikes',
    grows: true,
    make: (job) => {
      const slope = room(job) / logBetween(job.random, 100, 700);
      const every = between(job.random, 20, 90);
      const height = between(job.random, 0.05, 0.25) * room(job);
      const level = (t: number) => job.base + slope * t + (t > every && t % every < 3 ? height : 0);
      return { seconds: 1000, level: trained(job, level) };
    },
  },
  {
    name: 'leak with pauses for checkpoints',
    grows: true,
    make: (job) => {
      const slope = room(job) / logBetween(job.random, 80, 500);
      const every = between(job.random, 40, 120);
      const pause = between(job.random, 5, 25);
      let before = 0;
      let level = job.base;
      const course = (t: number) => {
        if (t < every || t % every > pause) level += slope * (t - before);
        before = t;
        return level;
      };
      return { seconds: 1200, level: trained(job, course) };
    },
  },
  {
    name: 'load, training, leak',
    grows: true,
    make: ({ random, capacity, context }) => {
      const loading = between(random, 10, 150);
      const weights = between(random, 0.2, 0.6) * capacity;
      const top = weights + between(random, 0.05, 0.2) * (capacity - weights);
      const begins = loading + between(random, 5, 30);
      const slope = (capacity - top) / logBetween(random, 80, 500);
      const level = (t: number) =>
        t < loading ? context + ((weights - context) * t) / loading : top + slope * Math.max(0, t - begins);
      return { seconds: 1200, level };
    },
  },
];

const goOn: readonly JobKind[] = [
  {
    name: 'weights that load for minutes',
    grows: false,
    make: ({ random, capacity, context }) => {
      const loading = between(random, 40, 400);
      const weights = between(random, 0.15, 0.7) * capacity;
      const top = weights + between(random, 0, 0.8) * (0.97 * capacity - weights);
      const level = (t: number) =>
        t < loading ? context + ((weights - context) * t) / loading : t < loading + 8 ? weights : top;
      return { seconds: loading + 150, level };
    },
  },
  {
    name: 'weights in shards with pauses',
    grows: false,
    make: ({ random, capacity, context }) => {
      const shards = Math.floor(between(random, 4, 30));
      const each = between(random, 2, 15);
      const busy = between(random, 0.3, 0.95);
      const weights = between(random, 0.15, 0.7) * capacity;
      const level = (t: number) => {
        const shard = Math.min(shards, Math.floor(t / each));
        const part = shard < shards ? Math.min(1, (t / each - shard) / busy) : 0;
        return context + ((weights - context) * (shard + part)) / shards;
      };
      return { seconds: shards * each + 120, level };
    },
  },
  {
    name: 'weights, then the optimizer of a checkpoint',
    grows: false,
    make: ({ random, capacity, context }) => {
      const loading = between(random, 20, 120);
      const resumes = loading + between(random, 5, 40);
      const resuming = between(random, 20, 90);
      const weights = between(random, 0.08, 0.2) * capacity;
      const level = (t: number) =>
        context +
        weights * (Math.min(1, t / loading) + 2 * Math.max(0, Math.min(1, (t - resumes) / resuming)));
      return { seconds: resumes + resuming + 200, level };
    },
  },
  {
    name: 'an inference server that takes nine tenths',
    grows: false,
    make: ({ random, capacity, context }) => {
      const loading = between(random, 10, 200);
      const reserves = loading + between(random, 5, 30);
      const weights = between(random, 0.1, 0.7) * capacity;
      const level = (t: number) =>
        t < reserves ? context + weights * Math.min(1, t / loading) : 0.9 * capacity;
      return { seconds: reserves + 200, level };
    },
  },
  {
    name: 'variable lengths with a long tail',
    grows: false,
    make: (job) => {
      const height = between(job.random, 0.2, 0.95) * spare(job);
      const tail = between(job.random, 0.8, 3);
      let most = 0;
      const go = perStep(between(job.random, 0.1, 2), () => {
        most = Math.max(most, Math.min(1, 0.05 * job.random() ** (-1 / tail)));
      });
      const level = trained(job, (t) => {
        go(t);
        return job.base + height * most;
      });
      return { seconds: 900, level };
    },
  },
  {
    name: 'growth like a logarithm',
    grows: false,
    make: (job) => {
      const height = between(job.random, 0.2, 0.9) * spare(job);
      const time = between(job.random, 1, 20);
      const level = (t: number) => job.base + (height * Math.log1p(t / time)) / Math.log1p(900 / time);
      return { seconds: 900, level: trained(job, level) };
    },
  },
  {
    name: 'an emptied cache now and then',
    grows: false,
    make: (job) => {
      const every = between(job.random, 3, 30);
      const height = between(job.random, 0.1, 0.9) * spare(job);
      let most = 0;
      let emptied = 0;
      const go = perStep(between(job.random, 0.2, 0.8), () => {
        most = Math.max(most, job.random());
      });
      const level = trained(job, (t) => {
        if (Math.floor(t / every) > emptied) most = 0;
        emptied = Math.floor(t / every);
        go(t);
        return job.base + height * most;
      });
      return { seconds: 600, level };
    },
  },
  {
    name: 'an evaluation that grows and is freed',
    grows: false,
    make: (job) => {
      const every = between(job.random, 60, 150);
      const lasts = between(job.random, 5, 29);
      const height = between(job.random, 0.1, 0.95) * spare(job);
      const level = (t: number) =>
        job.base + (t > every && t % every < lasts ? (height * (t % every)) / lasts : 0);
      return { seconds: 800, level: trained(job, level) };
    },
  },
  {
    name: 'a batch that grows for two minutes',
    grows: false,
    make: (job) => {
      const steps = Math.floor(between(job.random, 4, 16));
      const each = between(job.random, 60, 140) / steps;
      const height = between(job.random, 0.1, 0.4) * spare(job);
      const level = (t: number) => job.base + (height * Math.min(steps, Math.floor(t / each))) / steps;
      return { seconds: 500, level: trained(job, level) };
    },
  },
  {
    name: 'layers unfrozen one after another',
    grows: false,
    make: (job) => {
      const steps = Math.floor(between(job.random, 2, 5));
      const each = between(job.random, 40, 150);
      const height = between(job.random, 0.2, 0.8) * spare(job);
      const level = (t: number) => job.base + height * (1 - 0.5 ** Math.min(steps, Math.floor(t / each)));
      return { seconds: each * (steps + 2), level: trained(job, level) };
    },
  },
  {
    name: 'communicators, profilers and benchmarks that come late',
    grows: false,
    make: (job) => {
      const jumps = Array.from({ length: Math.floor(between(job.random, 1, 6)) }, () => ({
        at: between(job.random, 1, 200),
        bytes: between(job.random, 0.005, 0.05) * room(job),
      }));
      const level = (t: number) => jumps.reduce((sum, { at, bytes }) => sum + (t > at ? bytes : 0), job.base);
      return { seconds: 500, level: trained(job, level) };
    },
  },
  {
    name: 'two phases in turn',
    grows: false,
    make: (job) => {
      const first = between(job.random, 5, 40);
      const both = first + between(job.random, 5, 40);
      const height = between(job.random, 0.1, 0.9) * spare(job);
      const ramp = between(job.random, 0.5, 10);
      const level = (t: number) => job.base + height * Math.max(0, Math.min(1, ((t % both) - first) / ramp));
      return { seconds: 600, level: trained(job, level) };
    },
  },
];

export const jobKinds: readonly JobKind[] = [...runOut, ...goOn];

/** A job of one kind on a card at random: its course, and the card. */
export function startJob(kind: JobKind, random: Random): Course & { readonly capacity: number } {
  const sizes = [8, 11, 16, 24, 40, 48, 80, 141];
  const capacity = (sizes[Math.floor(random() * sizes.length)] ?? 24) * GiB;
  const context = between(random, 250, 800) * MiB;
  const base = context + between(random, 0.05, 0.45) * capacity;
  return { ...kind.make({ random, capacity, context, base }), capacity };
}
