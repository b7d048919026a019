/**
 * `npm run accuracy -- residuals`: how far published figures lie from what is expected for them, from which the intervals of answers come
 * that no measured run covers. Each source counts as one, however many figures it has; a share is judged by leaving its source out.
 */
import { hasExperts } from '../../../shared/memory/check';
import { quantile } from '../statistics';
import { playPublished, type PublishedResult } from './play';
import type { PublishedQuestion } from './rows';

/** One row of `shared/memory/publishedResiduals.ts`. */
interface Residuals {
  readonly below: number;
  readonly above: number;
  readonly figures: number;
  readonly sources: number;
}

type Group = 'otherCard' | 'transformers' | 'quantizedExperts' | 'otherCode';

/** Where the flags say what was run; where the code is another's, which is what a model played by its shapes is likest to. */
function groupOf({ question, row }: PublishedResult): Group | null {
  const { architecture, request } = question;
  // Rows of transformers 5 and PyTorch 2.13, whose flags leave nothing out that matters here.
  if (request.stack === undefined && row.class !== 'C') return 'otherCard';
  if (row.class === 'B') return 'otherCode';
  if (row.class !== 'A') return null;
  const isQuantized = request.training.method.kind === 'qlora' && hasExperts(architecture.stacks);
  return isQuantized ? 'quantizedExperts' : 'transformers';
}

/** A twentieth of the sources' weight is left out at either end. */
const leftOut = 0.05;

/** The figure as a share of what is expected, less one. */
const residualOf = ({ error }: PublishedResult): number => 1 / (1 + (error ?? 0)) - 1;

function residualsOf(results: readonly PublishedResult[]): Residuals {
  const sources = new Map<string, number>();
  for (const { row } of results) sources.set(row.source, (sources.get(row.source) ?? 0) + 1);
  const weighted = results
    .map((result) => ({ residual: residualOf(result), weight: 1 / (sources.get(result.row.source) ?? 1) }))
    .sort((a, b) => a.residual - b.residual);
  const at = (share: number): number => {
    let passed = 0;
    const found = weighted.find(({ weight }) => (passed += weight) >= share * sources.size - 1e-9);
    return (found ?? weighted[weighted.length - 1])?.residual ?? 0;
  };
  return {
    below: Math.max(0, -at(leftOut)),
    above: Math.max(0, at(1 - leftOut)),
    figures: results.length,
    sources: sources.size,
  };
}

/** Prints the table, and how often a row's interval would hold it that was made without the row's source. */
export function reportResiduals(questions: readonly PublishedQuestion[], say: (line: string) => void): void {
  const results = questions
    .map(playPublished)
    .filter(({ error, row }) => error !== null && row.published.kind !== 'capacity');
  const groups: readonly Group[] = ['otherCard', 'transformers', 'quantizedExperts', 'otherCode'];
  for (const group of groups) {
    const own = results.filter((result) => groupOf(result) === group);
    const { above, below, figures, sources } = residualsOf(own);
    say(
      `${group}: below ${below.toFixed(3)}, above ${above.toFixed(3)}, ${figures} figures of ${sources} sources`,
    );
    const held = own.filter((result) => {
      const others = own.filter(({ row }) => row.source !== result.row.source);
      const made = residualsOf(others.length === 0 ? own : others);
      const residual = residualOf(result);
      return -made.below <= residual && residual <= made.above;
    }).length;
    const widths = own.map(() => above + below).sort((a, b) => a - b);
    say(
      `  without a figure's own source: holds ${held} of ${own.length}, width ${(100 * quantile(widths, 0.5)).toFixed(1)} %`,
    );
  }
}
