import { commentPathsRule } from './commentPaths.mjs';
import { layersRule } from './layers.mjs';
import { textDecisionsRule } from './textDecisions.mjs';
import { uniqueTypesRule } from './uniqueTypes.mjs';

/** The rules of this house that no package knows. Each has its breaches in test/unit/build/lint. */
export const house = {
  rules: {
    layers: layersRule,
    'comment-paths': commentPathsRule,
    'unique-types': uniqueTypesRule,
    'text-decisions': textDecisionsRule,
  },
};
