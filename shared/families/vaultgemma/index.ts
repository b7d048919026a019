/** VaultGemma. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { simulateVaultgemma } from './simulation';
import { vaultGemma } from './config';

export const family: Family = {
  name: 'vaultgemma',
  modelTypes: {
    vaultgemma: {
      kind: 'decoder',
      baseClass: 'VaultGemmaModel',
      read: vaultGemma,
      defaults: defaults.vaultgemma,
    },
  },
  simulation: {
    simulate: simulateVaultgemma,
  },
};
