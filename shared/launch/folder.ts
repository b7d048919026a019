import { message } from '../i18n/message';
import { translate, type Locale } from '../i18n/translate';
import {
  accelerateConfig,
  deepSpeedConfig,
  launchCommand,
  launchScript,
  pyTorchJob,
  requirements,
  slurmScript,
} from './configurations';
import { dividesSamples, isDataParallel, isDeepSpeed, type LaunchFile, type LaunchPlan } from './plan';
import { planFile } from './savedPlan';
import { planVariable } from '../planVariable';
import { trainScript } from './trainScript';

/**
 * Every file of a plan's folder, the script first; the README in the chosen language. `appVersion` is written down with the plan
 * where it is known.
 */
export function launchFolder(
  plan: LaunchPlan,
  locale: Locale,
  appVersion: string | null = null,
): readonly LaunchFile[] {
  return [
    trainScript(plan),
    { name: 'config.json', text: plan.configJson.endsWith('\n') ? plan.configJson : `${plan.configJson}\n` },
    launchScript(plan),
    requirements(plan),
    ...(dividesSamples(plan) ? [accelerateConfig(plan)] : []),
    ...(isDeepSpeed(plan) ? [deepSpeedConfig(plan)] : []),
    ...(plan.nodes > 1 ? [slurmScript(plan), pyTorchJob(plan)] : []),
    planFile(plan, appVersion),
    readme(plan, locale),
  ];
}

const syncTexts = { each: 'launch.syncEach', last: 'launch.syncLast' } as const;

function readme(plan: LaunchPlan, locale: Locale): LaunchFile {
  const peak = Math.max(...plan.planned.map(({ allocatedPeakBytes }) => allocatedPeakBytes));
  const copies = dividesSamples(plan) || isDataParallel(plan) ? plan.world : 1;
  const paragraphs = [
    `# ${plan.name}`,
    translate(
      locale,
      message('launch.what', { method: plan.method, strategy: plan.strategy, count: plan.world }),
    ),
    translate(
      locale,
      message('launch.batch', {
        micro: plan.microBatch,
        steps: plan.accumulationSteps,
        total: plan.microBatch * plan.accumulationSteps * copies,
      }),
    ),
    ...(plan.gradientSync === null || plan.accumulationSteps === 1
      ? []
      : [translate(locale, message(syncTexts[plan.gradientSync]))]),
    translate(locale, message('launch.peak', { peak })),
    ...(isDataParallel(plan) ? [translate(locale, message('launch.dataParallel'))] : []),
    `## ${translate(locale, message('launch.startTitle'))}`,
    ['```sh', 'python3 -m pip install -r requirements.txt', 'bash launch.sh', '```'].join('\n'),
    translate(
      locale,
      message('launch.mark', { command: launchCommand(plan).join(' '), variable: planVariable }),
    ),
    translate(locale, message('launch.tryIt')),
    translate(locale, message('launch.forReal')),
    ['```sh', 'bash launch.sh --model FOLDER --data FOLDER --save OUT', '```'].join('\n'),
    translate(locale, message('launch.receipt')),
    translate(locale, message('launch.memorySnapshot')),
    translate(locale, message('launch.logs')),
  ];
  return { name: 'README.md', text: `${paragraphs.join('\n\n')}\n` };
}
