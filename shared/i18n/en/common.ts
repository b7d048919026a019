export const common = {
  unknown: 'unknown',
  span: '{from} to {to}',
} as const;
