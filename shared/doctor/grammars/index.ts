import { collectiveGrammars } from './collective';
import { compileGrammar } from './compile';
import { contextGrammars } from './context';
import { cudaGrammars } from './cuda';
import { driverGrammars } from './driver';
import { frameworkGrammars } from './frameworks';
import type { CompiledGrammar } from './grammar';
import { hostGrammars } from './host';
import { libraryGrammars } from './libraries';
import { notMemoryGrammars } from './notMemory';
import { listingGrammars } from './processes';
import { programErrorGrammars } from './programErrors';
import { servingGrammars } from './serving';
import { sharedMemoryGrammars } from './sharedMemory';
import { torchGrammars } from './torch';

/** Every grammar, in the order in which they may claim a piece of text: the more telling one first. */
export const grammars: readonly CompiledGrammar[] = [
  ...notMemoryGrammars,
  ...driverGrammars,
  ...sharedMemoryGrammars,
  ...collectiveGrammars,
  ...servingGrammars,
  ...hostGrammars,
  ...frameworkGrammars,
  ...torchGrammars,
  ...libraryGrammars,
  ...cudaGrammars,
  ...listingGrammars,
  ...programErrorGrammars,
  ...contextGrammars,
].map(compileGrammar);
