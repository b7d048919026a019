/** GIT. */
import type { Family } from '../declaration';
import { readGit } from './config';

export const family: Family = {
  name: 'git',
  modelTypes: {
    git: { kind: 'model', baseClass: 'GitModel', read: readGit },
  },
  simulation: null,
};
