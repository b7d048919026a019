import type { MatchingCatalogue } from '../matching';
import { cli } from './cli';
import { common } from './common';
import { desktop } from './desktop';

export const catalogue = { cli, common, desktop } as const satisfies MatchingCatalogue;
