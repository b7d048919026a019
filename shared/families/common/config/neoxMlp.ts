import { type MlpNames, llamaMlp } from '../../../model/feedForward';

/** The names of GPT-NeoX's MLP, which Falcon and BLOOM have, too. */
export const neoxMlp: MlpNames = { ...llamaMlp, up: 'dense_h_to_4h', down: 'dense_4h_to_h' };
