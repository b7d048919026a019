import type { MatchingCatalogue } from '../matching';
import { common } from './common';

export const catalogue = { common } as const satisfies MatchingCatalogue;
