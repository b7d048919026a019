import type { LaunchPlan } from '../../shared/launch/plan';
import type { MeasureState } from '../../shared/measure/state';
import type { Measuring, MeasuringServices } from './measuring';

/**
 * Measuring brings the writers of a plan's files along, a fifth of all that main would have to load before its window
 * shows: it is loaded when somebody measures.
 */
export class LazyMeasuring implements Pick<
  Measuring,
  'state' | 'choosePython' | 'start' | 'stop' | 'dispose'
> {
  private loading: Promise<Measuring> | null = null;
  private loaded: Measuring | null = null;

  constructor(private readonly services: Omit<MeasuringServices, 'limits'>) {}

  state(): MeasureState {
    return this.loaded?.state() ?? { python: this.services.pythonPath(), run: null };
  }

  async choosePython(): Promise<MeasureState> {
    return (await this.load()).choosePython();
  }

  async start(plan: LaunchPlan, gpuIndices: readonly number[] | null): Promise<MeasureState> {
    return (await this.load()).start(plan, gpuIndices);
  }

  stop(): MeasureState {
    return this.loaded?.stop() ?? this.state();
  }

  async dispose(): Promise<void> {
    await this.loaded?.dispose();
  }

  private load(): Promise<Measuring> {
    this.loading ??= import('./measuring').then(({ Measuring: Loaded, measuringLimits }) => {
      this.loaded = new Loaded({ ...this.services, limits: measuringLimits });
      return this.loaded;
    });
    return this.loading;
  }
}
