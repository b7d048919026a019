import { imagingPrograms } from './imagingPrograms';
import type { ProgramRow } from './program';
import { servingPrograms } from './servingPrograms';
import { trainingPrograms } from './trainingPrograms';

const rows = [...imagingPrograms, ...trainingPrograms, ...servingPrograms] as const;

export type TrainingProgram = (typeof rows)[number]['name'];

export const programs: readonly (ProgramRow & { readonly name: TrainingProgram })[] = rows;
