import { MiB } from '../units';

/**
 * What a CUDA context with its loaded kernels takes before a program puts anything on the card: 0.2 to 0.9 GiB on the cards and
 * drivers known to us.
 */
export const bareContextBytes = { least: 150 * MiB, most: 950 * MiB } as const;
