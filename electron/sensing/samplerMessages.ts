/** What main and the sampler's process say to each other. Both are built together, so nothing is checked twice. */
import type { WorkstationState } from '../../shared/snapshot/types';
import type { SimulationOptions } from '../simulation/workstation';
import type { SamplerOptions } from './sampler';
import type { Attention } from './source';

export interface SamplerStart extends Omit<SamplerOptions, 'backends' | 'onSnapshot' | 'log'> {
  readonly simulation: SimulationOptions;
}

export type ToSampler =
  | { readonly kind: 'start'; readonly options: SamplerStart }
  | { readonly kind: 'attention'; readonly attention: Attention }
  | { readonly kind: 'configure'; readonly intervalSeconds: number; readonly nvidiaSmiPath: string | null }
  | { readonly kind: 'choose'; readonly request: number; readonly sceneId: string | null }
  | { readonly kind: 'stop' };

export type FromSampler =
  | { readonly kind: 'snapshot'; readonly snapshot: WorkstationState }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  /** `error` is null where the scene plays. */
  | { readonly kind: 'chosen'; readonly request: number; readonly error: string | null }
  | { readonly kind: 'stopped' };
