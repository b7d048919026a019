/** How urgent something is, the most urgent first; alerts, the rows of cards and jobs, and the tray go by these alone. */
export const severities = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/** The most urgent of several; null of none. */
export function worstSeverity(found: readonly Severity[]): Severity | null {
  return severities.find((severity) => found.includes(severity)) ?? null;
}

/** The order of a list of alerts: the most severe first, and of those the newest. */
export function byUrgency(
  a: { readonly severity: Severity; readonly since: number },
  b: { readonly severity: Severity; readonly since: number },
): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.since - a.since;
}
