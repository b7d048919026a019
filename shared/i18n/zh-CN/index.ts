import type { MatchingCatalogue } from '../matching';
import { cli } from './cli';
import { common } from './common';

export const catalogue = { cli, common } as const satisfies MatchingCatalogue;
