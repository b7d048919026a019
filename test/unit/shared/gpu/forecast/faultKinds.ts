import { GiB, MiB } from '../../../../../shared/units';
import { between, logBetween, type JobKind } from './jobKinds';

/**
 * The kinds that a forecast got wrong on 2026-11-30, after public reports: loads that look like leaks, growth that ends by itself, and
 * leaks under spikes. Each is drawn over the whole range that its reports span.
 */
export const faultKinds: readonly JobKind[] = [
  {
    name: 'shards in steps, one after another',
    grows: false,
    make: ({ random, capacity, context }) => {
      const each = between(random, 4, 25);
      const begins = between(random, 2, 15);
      const weights = between(random, 0.4, 0.9) * capacity;
      // Files of less than a gigabyte are rarely cut.
      const shards = Math.floor(between(random, 3, Math.min(20, (weights - context) / (0.9 * GiB))));
      const level = (t: number) => {
        const loaded = t < begins ? 0 : Math.min(shards, 1 + Math.floor((t - begins) / each));
        return context + ((weights - context) * loaded) / shards;
      };
      return { seconds: begins + shards * each + 120, level };
    },
  },
  {
    name: 'a checkpoint is loaded, its copy freed, the optimizer follows',
    grows: false,
    make: ({ random, capacity, context }) => {
      const weights = between(random, 0.15, 0.35) * capacity;
      const loading = between(random, 15, 80);
      const copying = between(random, 10, 60);
      const freed = loading + copying + between(random, 2, 9);
      const resuming = between(random, 20, 80);
      const states = between(random, 1, 2) * weights;
      const level = (t: number) => {
        if (t < loading) return context + (weights * t) / loading;
        if (t < freed) return context + weights * (1 + Math.min(1, (t - loading) / copying));
        return Math.min(0.9 * capacity, context + weights + states * Math.min(1, (t - freed) / resuming));
      };
      return { seconds: freed + resuming + 120, level };
    },
  },
  {
    name: 'a slow load, and at once the first step',
    grows: false,
    make: ({ random, capacity, context }) => {
      const loading = logBetween(random, 60, 900);
      const weights = between(random, 0.2, 0.7) * capacity;
      const top = weights + between(random, 0.3, 0.9) * (0.95 * capacity - weights);
      const jump = between(random, 1, 6);
      const level = (t: number) =>
        t < loading
          ? context + ((weights - context) * t) / loading
          : weights + (top - weights) * Math.min(1, (t - loading) / jump);
      return { seconds: loading + 150, level };
    },
  },
  {
    name: 'fragmentation that slows for hours',
    grows: false,
    make: ({ random, capacity, base }) => {
      const height = between(random, 0.3, 0.85) * (0.97 * capacity - base);
      const time = logBetween(random, 20, 300);
      const piece = between(random, 4, 40) * MiB;
      const seconds = between(random, 4000, 14_400);
      const level = (t: number) =>
        base + piece * Math.floor((height * Math.log1p(t / time)) / Math.log1p(seconds / time) / piece);
      return { seconds, level };
    },
  },
  {
    name: 'caches that fill to their size',
    grows: false,
    make: ({ random, capacity, base }) => {
      const height = between(random, 0.3, 0.9) * (0.97 * capacity - base);
      const time = logBetween(random, 60, 1500);
      return { seconds: 6 * time, level: (t) => base + height * (1 - Math.exp(-t / time)) };
    },
  },
  {
    name: 'a phase that grows, is freed, and comes back',
    grows: false,
    make: ({ random, capacity, base }) => {
      const every = between(random, 80, 400);
      const lasts = between(random, 0.2, 0.9) * every;
      const height = between(random, 0.2, 0.9) * (0.97 * capacity - base);
      const level = (t: number) => {
        const round = Math.floor(t / every);
        const into = t - round * every;
        // Each round is a little other than the last.
        const share = 0.85 + 0.15 * Math.sin(7.3 * round);
        return base + (into < lasts * share ? (height * into) / lasts : 0);
      };
      return { seconds: 5 * every, level, knowableFrom: every };
    },
  },
  {
    name: 'flanks of up to 36 s',
    grows: false,
    make: ({ random, capacity, base }) => {
      const flank = between(random, 20, 36);
      const height = between(random, 0.2, 0.95) * (0.97 * capacity - base);
      return { seconds: 500, level: (t) => base + (height * (t % flank)) / flank };
    },
  },
  {
    name: 'a leak by epochs under a spike that comes back',
    grows: true,
    make: ({ random, capacity, base }) => {
      const epoch = between(random, 60, 300);
      const epochs = Math.floor(between(random, 8, 20));
      const spike = between(random, 0.1, 0.5) * (capacity - base);
      const step = (capacity - base - spike) / (epochs - 0.5);
      const lasts = between(random, 4, 25);
      const level = (t: number) =>
        base + step * Math.floor(t / epoch) + (t > epoch && t % epoch > epoch - lasts ? spike : 0);
      return { seconds: (epochs + 2) * epoch, level };
    },
  },
  {
    name: 'a slow leak under a spike that comes back',
    grows: true,
    make: ({ random, capacity, base }) => {
      const every = between(random, 40, 240);
      const spike = between(random, 0.1, 0.6) * (capacity - base);
      const slope = (capacity - base - spike) / logBetween(random, 500, 3000);
      const lasts = between(random, 3, 20);
      const level = (t: number) => base + slope * t + (t % every > every - lasts ? spike : 0);
      return { seconds: 4000, level };
    },
  },
  {
    name: 'shards, training, a leak',
    grows: true,
    make: ({ random, capacity, context }) => {
      const shards = Math.floor(between(random, 3, 10));
      const each = between(random, 4, 12);
      const weights = between(random, 0.2, 0.5) * capacity;
      const top = weights + between(random, 0.05, 0.2) * (capacity - weights);
      const begins = shards * each + between(random, 5, 30);
      const slope = (capacity - top) / logBetween(random, 80, 900);
      const level = (t: number) =>
        t < shards * each
          ? context + ((weights - context) * (1 + Math.floor(t / each))) / shards
          : top + slope * Math.max(0, t - begins);
      return { seconds: 1500, level };
    },
  },
  {
    name: 'a checkpoint is resumed, training leaks',
    grows: true,
    make: ({ random, capacity, context }) => {
      const weights = between(random, 0.1, 0.25) * capacity;
      const copied = between(random, 15, 60);
      const states = copied + between(random, 20, 60);
      const begins = states + between(random, 15, 60);
      const slope = (capacity - context - 2.5 * weights) / logBetween(random, 100, 900);
      const level = (t: number) => {
        if (t < copied) return context + (2 * weights * t) / copied;
        if (t < states) return context + weights * (1 + (t - copied) / (states - copied));
        return context + 2.5 * weights + slope * Math.max(0, t - begins);
      };
      return { seconds: 1500, level };
    },
  },
];
