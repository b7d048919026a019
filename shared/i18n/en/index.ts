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

/** Every text of the product in English, by area. English is the source; the other catalogues must match it. */
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
} as const;
