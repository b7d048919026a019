export const common = {
  unknown: 'unknown',
} as const;
