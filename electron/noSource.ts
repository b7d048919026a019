import type { SnapshotSource, StartSnapshotSource } from './sensing/source';

/** Holds the place of sensing until its source is wired in; it never delivers a Snapshot. */
export const startSnapshotSource: StartSnapshotSource = () => {
  const source: SnapshotSource = {
    subscribe: () => () => undefined,
    latest: () => null,
    history: ({ span }) => Promise.resolve({ span, fromTime: 0, toTime: 0, cards: [], marks: [] }),
    setAttention: () => undefined,
    configure: () => undefined,
    chooseScene: () => Promise.resolve(),
    dispose: () => Promise.resolve(),
  };
  return source;
};

export const findNvidiaSmi = (_chosen: string | null): Promise<string | null> => Promise.resolve(null);
