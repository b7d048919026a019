/** GIT. */
import type { Family } from '../declaration';
import { git } from './config';

export const family: Family = {
  name: 'git',
  modelTypes: {
    git: { kind: 'model', baseClass: 'GitModel', read: git },
  },
  simulation: null,
};
