import type { CardReading, GpuProcess, MigSlice } from './types';

/** Which MIG devices the cards have, as a text that is the same while they are; empty where they have none. */
export function migKey(cards: readonly CardReading[]): string {
  return cards
    .flatMap(({ uuid, mig }) =>
      mig.map(({ index, gpuInstance, computeInstance }) =>
        [uuid, index, gpuInstance, computeInstance].join('/'),
      ),
    )
    .join(' ');
}

/**
 * The cards of a detailed report with the profiles and UUIDs that only `nvidia-smi -L` tells of their MIG devices. Both
 * count a card's devices alike; a card that the list does not know, or of which it counts others, stays as it is.
 */
export function withMigNames(
  cards: readonly CardReading[],
  listed: readonly CardReading[],
): readonly CardReading[] {
  const byUuid = new Map(listed.map((card) => [card.uuid, card.mig]));
  return cards.map((card) => {
    const names = card.uuid === null ? undefined : byUuid.get(card.uuid);
    if (card.mig.length === 0 || names?.length !== card.mig.length) return card;
    const mig = card.mig.map((slice, place): MigSlice => {
      const named = names.find(({ index }) => index === (slice.index ?? place));
      return {
        ...slice,
        profile: slice.profile ?? named?.profile ?? null,
        uuid: slice.uuid ?? named?.uuid ?? null,
      };
    });
    return { ...card, mig };
  });
}

/** The MIG device that a process runs in, by what nvidia-smi says of both; null where it is in none that is known. */
export function sliceOf(
  { gpuIndex, gpuInstance, computeInstance }: GpuProcess,
  cards: readonly (CardReading & { readonly index: number })[],
): MigSlice | null {
  if (gpuInstance === null) return null;
  const card = cards.find(({ index }) => index === gpuIndex);
  const inside = card?.mig.filter((slice) => slice.gpuInstance === gpuInstance) ?? [];
  return (
    inside.find((slice) => slice.computeInstance === computeInstance) ??
    (inside.length === 1 ? (inside[0] ?? null) : null)
  );
}
