/** VaultGemma. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { simulateVaultgemma } from './simulation';
import { readVaultGemma } from './config';

export const family: Family = {
  name: 'vaultgemma',
  modelTypes: {
    vaultgemma: {
      kind: 'decoder',
      baseClass: 'VaultGemmaModel',
      read: readVaultGemma,
      defaults: defaults.vaultgemma,
    },
  },
  simulation: {
    simulate: simulateVaultgemma,
    recorded: [],
  },
};
