import type { common as english } from '../en/common';
import type { Matching } from '../matching';

export const common = {
  asWritten: '{words}',
  unknown: '未知',
  span: '{from} 至 {to}',
} as const satisfies Matching<typeof english>;
