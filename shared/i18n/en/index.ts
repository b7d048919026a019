import { cli } from './cli';
import { common } from './common';
import { desktop } from './desktop';

/** Every text of the product in English, by area. English is the source; the other catalogues must match it. */
export const catalogue = { cli, common, desktop } as const;
