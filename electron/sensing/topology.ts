/** How the cards are joined, asked once: `nvidia-smi topo -m`. */
import { readOutput } from '../../shared/gpu/smi/output';
import type { CardLink } from '../../shared/gpu/types';
import { findNvidiaSmi } from './findNvidiaSmi';
import { runOnce } from '../programs/runOnce';

const limits = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };

/** The links between cards; empty where nvidia-smi is not there or does not say. `chosen`: the program that a person chose. */
export async function topologyLinks(
  signal: AbortSignal,
  chosen: string | null = null,
): Promise<readonly CardLink[]> {
  const program = findNvidiaSmi(chosen);
  if (program === null) return [];
  const result = await runOnce(
    { command: program, leadingArguments: [], environment: {} },
    ['topo', '-m'],
    limits,
    signal,
  );
  return result.kind === 'ended' && result.exitCode === 0 ? readOutput(result.text).links : [];
}
