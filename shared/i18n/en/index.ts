import { alerts } from './alerts';
import { app } from './app';
import { causes } from './causes';
import { check } from './check';
import { checkCommand } from './checkCommand';
import { cli } from './cli';
import { common } from './common';
import { desktop } from './desktop';
import { doctor } from './doctor';
import { doctorAdvice } from './doctorAdvice';
import { doctorEvidence } from './doctorEvidence';
import { doctorFixes } from './doctorFixes';
import { doctorMeaning } from './doctorMeaning';
import { doctorMissing } from './doctorMissing';
import { ending } from './ending';
import { estimate } from './estimate';
import { firstRun } from './firstRun';
import { forecast } from './forecast';
import { imbalance } from './imbalance';
import { launch } from './launch';
import { measure } from './measure';
import { memory } from './memory';
import { memorySnapshot } from './memorySnapshot';
import { model } from './model';
import { plan } from './plan';
import { planChange } from './planChange';
import { planCommand } from './planCommand';
import { planNames } from './planNames';
import { planSteps } from './planSteps';
import { planStep } from './planStep';
import { problems } from './problems';
import { receipts } from './receipts';
import { scenes } from './scenes';
import { sensing } from './sensing';
import { settings } from './settings';
import { stale } from './stale';
import { strategy } from './strategy';
import { tray } from './tray';
import { watch } from './watch';
import { workstation } from './workstation';

/** Every text of the product in English, by area. English is the source; the other catalogues must match it. */
export const catalogue = {
  alerts,
  app,
  causes,
  check,
  checkCommand,
  cli,
  common,
  desktop,
  doctor,
  doctorAdvice,
  doctorEvidence,
  doctorFixes,
  doctorMeaning,
  doctorMissing,
  ending,
  estimate,
  firstRun,
  forecast,
  imbalance,
  launch,
  measure,
  memory,
  memorySnapshot,
  model,
  plan,
  planChange,
  planCommand,
  planNames,
  planSteps,
  planStep,
  problems,
  receipts,
  scenes,
  sensing,
  settings,
  stale,
  strategy,
  tray,
  watch,
  workstation,
} as const;
