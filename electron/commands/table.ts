/** Every subcommand of `headroom`; the code of each is loaded when it is called, so that `--help` starts at once. */
import { message } from '../../shared/i18n/message';
import type { CommandEntry } from './command';

export const commands: readonly CommandEntry[] = [
  {
    name: 'check',
    summary: message('checkCommand.summary'),
    load: async () => (await import('./check')).check,
  },
  {
    name: 'doctor',
    summary: message('doctor.summary'),
    load: async () => (await import('./doctor')).doctor,
  },
  {
    name: 'estimate',
    summary: message('estimate.summary'),
    load: async () => (await import('./estimate')).estimate,
  },
  {
    name: 'forecast',
    summary: message('forecast.summary'),
    load: async () => (await import('./forecast')).forecast,
  },
  {
    name: 'free',
    summary: message('ending.freeSummary'),
    cleansUp: true,
    load: async () => (await import('./free')).free,
  },
  {
    name: 'inspect',
    summary: message('cli.inspectSummary'),
    load: async () => (await import('./inspect')).inspect,
  },
  {
    name: 'model',
    summary: message('model.commandSummary'),
    load: async () => (await import('./model')).model,
  },
  {
    name: 'plan',
    summary: message('planCommand.summary'),
    load: async () => (await import('./plan')).plan,
  },
  {
    name: 'scenes',
    summary: message('watch.scenesSummary'),
    load: async () => (await import('./scenes')).scenesCommand,
  },
  {
    name: 'snapshot',
    summary: message('memorySnapshot.summary'),
    load: async () => (await import('./snapshot')).snapshot,
  },
  {
    name: 'stale',
    summary: message('ending.staleSummary'),
    cleansUp: true,
    load: async () => (await import('./stale')).stale,
  },
  {
    name: 'watch',
    summary: message('watch.summary'),
    cleansUp: true,
    load: async () => (await import('./watch')).watch,
  },
];
