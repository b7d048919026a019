import { ensureBuilt } from '../../build/inputs.mjs';

/** The checks read dist/, so it must be there and be of these sources. */
export default ensureBuilt;
