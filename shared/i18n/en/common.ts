export const common = {
  asWritten: '{words}',
  unknown: 'unknown',
  span: '{from} to {to}',
} as const;
