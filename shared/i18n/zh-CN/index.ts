import type { MatchingCatalogue } from '../matching';
import { alerts } from './alerts';
import { app } from './app';
import { cli } from './cli';
import { common } from './common';
import { desktop } from './desktop';
import { forecast } from './forecast';
import { imbalance } from './imbalance';
import { model } from './model';
import { problems } from './problems';
import { scenes } from './scenes';
import { sensing } from './sensing';
import { settings } from './settings';
import { workstation } from './workstation';

export const catalogue = {
  alerts,
  app,
  cli,
  common,
  desktop,
  forecast,
  imbalance,
  model,
  problems,
  scenes,
  sensing,
  settings,
  workstation,
} as const satisfies MatchingCatalogue;
