import { cli } from './cli';
import { common } from './common';

/** Every text of the product in English, by area. English is the source; the other catalogues must match it. */
export const catalogue = { cli, common } as const;
