/** What each level is called: the word that a mark stands for. */
export const levelWords = {
  info: 'app.severityInfo',
  warning: 'app.severityWarning',
  critical: 'app.severityCritical',
} as const;
