import { GiB, MiB } from '../../../../../shared/units';
import type { MemorySample } from '../../../../../shared/gpu/forecast/series';
import { between, jobKinds, startJob, type JobKind } from './jobKinds';

/** A series made up with a known truth. `endsAt` is when it ran out, or null. */
export interface GeneratedSeries {
  readonly kind: string;
  readonly capacityBytes: number;
  readonly samples: readonly MemorySample[];
  readonly endsAt: number | null;
  readonly grows: boolean;
  /** An alert before this second is no fault. */
  readonly knowableFrom: number;
}

/** A small reproducible generator of numbers in 0..1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

type Level = (secondsOfTraining: number, baseBytes: number) => number;
interface Kind {
  readonly name: string;
  readonly grows: boolean;
  readonly make: (random: () => number, capacityBytes: number, baseBytes: number, seconds: number) => Level;
}

/** Log-uniform: leaks of every slope. */
const slopeOf = (random: () => number, room: number, seconds: number): number =>
  (room / seconds) * 10 ** between(random, -0.3, 0.7);

const kinds: readonly Kind[] = [
  {
    name: 'leak',
    grows: true,
    make: (random, capacity, base, seconds) => {
      const slope = slopeOf(random, capacity - base, seconds);
      return (t) => base + slope * t;
    },
  },
  {
    name: 'leak in small steps',
    grows: true,
    make: (random, capacity, base, seconds) => {
      const slope = slopeOf(random, capacity - base, seconds);
      const every = between(random, 0.5, 3);
      return (t) => base + slope * every * Math.floor(t / every);
    },
  },
  {
    name: 'leak under saw-teeth',
    grows: true,
    make: (random, capacity, base, seconds) => {
      const height = between(random, 0.03, 0.08) * capacity;
      const slope = slopeOf(random, capacity - base - height, seconds);
      const period = between(random, 4, 9);
      return (t) => base + slope * t + height * ((t % period) / period);
    },
  },
  { name: 'plateau', grows: false, make: (_random, _capacity, base) => () => base },
  {
    name: 'noise',
    grows: false,
    make: (random, capacity, base) => {
      const height = between(random, 0.02, 0.2) * capacity;
      return () => base + height * random();
    },
  },
  {
    name: 'saw-tooth',
    grows: false,
    make: (random, capacity, base) => {
      const height = between(random, 0.2, 0.9) * (capacity * 0.97 - base);
      // One flank of over half a minute cannot be told from a leak before it has fallen once.
      const period = between(random, 5, 30);
      return (t) => base + height * ((t % period) / period);
    },
  },
  {
    name: 'growth that levels off',
    grows: false,
    make: (random, capacity, base) => {
      const height = between(random, 0.3, 0.95) * (capacity * 0.95 - base);
      const time = between(random, 5, 40);
      return (t) => base + height * (1 - Math.exp(-t / time));
    },
  },
  {
    name: 'variable lengths',
    grows: false,
    make: (random, capacity, base) => {
      const height = between(random, 0.3, 0.95) * (capacity * 0.95 - base);
      let most = 0;
      return () => {
        most = Math.max(most, random() ** between(random, 1, 6));
        return base + height * most;
      };
    },
  },
  {
    name: 'one late jump',
    grows: false,
    make: (random, capacity, base, seconds) => {
      const at = between(random, 0.2, 0.8) * seconds;
      const height = between(random, 0.2, 0.9) * (capacity * 0.97 - base);
      return (t) => base + (t > at ? height : 0);
    },
  },
  {
    name: 'evaluation spikes',
    grows: false,
    make: (random, capacity, base) => {
      const every = between(random, 20, 60);
      const height = between(random, 0.2, 0.9) * (capacity * 0.97 - base);
      return (t) => base + (t % every < 3 && t > every ? height : 0);
    },
  },
  {
    name: 'weights being loaded',
    grows: false,
    make: (random, capacity, base) => {
      // A load that goes on when three quarters of the card are gone is warned of: a leak from the first step looks the same.
      const level = between(random, 0.3, 0.72) * capacity;
      const slope = level / between(random, 8, 60);
      return (t) => Math.min(Math.max(base, level), 500 * MiB + slope * t);
    },
  },
];

/** Series number `seed`: kinds in turn, sizes, speeds and lengths at random, one sample a second. */
export function generateSeries(seed: number): GeneratedSeries {
  const random = randomNumbers(seed * 7919 + 17);
  const kind = kinds[seed % kinds.length] as Kind;
  const capacityBytes = [8, 11, 16, 24, 40, 48, 80, 141][Math.floor(random() * 8)] as number;
  const capacity = capacityBytes * GiB;
  const base = between(random, 0.1, 0.5) * capacity;
  const seconds = between(random, 120, 600);
  const level = kind.make(random, capacity, base, seconds);
  const quiet = between(random, 3, 10);
  const loading = kind.name === 'weights being loaded';
  const knowableFrom = 0;
  const samples: MemorySample[] = [];
  for (let t = 0; t < seconds; t += 1) {
    const training = t - quiet - 4;
    const start = loading ? 0 : quiet;
    const bytes =
      t < start
        ? 500 * MiB
        : training < 0 && !loading
          ? base * ((t - start) / 4) + 500 * MiB
          : level(Math.max(0, loading ? t : training), base);
    if (bytes >= capacity)
      return {
        kind: kind.name,
        capacityBytes: capacity,
        samples,
        endsAt: t,
        grows: kind.grows,
        knowableFrom,
      };
    samples.push({ t, bytes: Math.min(bytes, capacity) });
  }
  return { kind: kind.name, capacityBytes: capacity, samples, endsAt: null, grows: kind.grows, knowableFrom };
}

/** Job number `seed` of these kinds in turn, looked at every `everySeconds`, not quite regularly, in whole pages of the driver. */
export function generateJob(
  seed: number,
  everySeconds: number,
  kinds: readonly JobKind[] = jobKinds,
): GeneratedSeries {
  const random = randomNumbers(seed * 7919 + 29);
  const kind = kinds[seed % kinds.length] as JobKind;
  const { level, seconds, capacity, knowableFrom = 0 } = startJob(kind, random);
  const samples: MemorySample[] = [];
  for (let t = random(); t < seconds; t += between(random, 0.98, 1.06) * everySeconds) {
    const bytes = level(t);
    if (bytes > capacity)
      return {
        kind: kind.name,
        capacityBytes: capacity,
        samples,
        endsAt: t,
        grows: kind.grows,
        knowableFrom,
      };
    samples.push({ t, bytes: Math.round(bytes / (2 * MiB)) * 2 * MiB });
  }
  return { kind: kind.name, capacityBytes: capacity, samples, endsAt: null, grows: kind.grows, knowableFrom };
}
