import type { common as english } from '../en/common';
import type { Matching } from '../matching';

export const common = {
  unknown: '未知',
} as const satisfies Matching<typeof english>;
