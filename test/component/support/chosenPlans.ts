import { render } from '@testing-library/svelte';
import type { ComponentProps } from 'svelte';
import type ChosenPlan from '../../../renderer/plan/chosen/ChosenPlan.svelte';
import { AppState } from '../../../renderer/state/app.svelte';
import type { Locale } from '../../../shared/i18n/translate';
import { launchFolder } from '../../../shared/launch/folder';
import type { LaunchFile } from '../../../shared/launch/plan';
import { changesOf, detailOf, type PlanDetail } from '../../../shared/strategy/detail';
import { launchPlanOf } from '../../../shared/strategy/launchPlan';
import { plan as planStrategies } from '../../../shared/strategy/plan';
import type { Plan } from '../../../shared/strategy/types';
import { cardsOf, questionOf, smallLlama } from '../../unit/shared/strategy/questions';
import { installBrowser } from './browser';
import ChosenHost from './ChosenHost.svelte';
import { FakeBridge } from './fakeBridge';
import { settle } from './renderApp';

export interface LookedAt {
  readonly plan: Plan;
  readonly detail: PlanDetail;
  readonly files: readonly LaunchFile[] | null;
}

const model = smallLlama(512, 4, 32_000);

/** The engine's best plan for these wishes on two small cards, with all that the wizard would tell of it. */
export function lookedAt(wishes: Readonly<Record<string, unknown>>, locale: Locale = 'en'): LookedAt {
  const question = questionOf(model, cardsOf(8000, 8000), { seq: 512, card: 'RTX 3090', ...wishes });
  const [plan] = planStrategies(question).plans;
  if (plan === undefined) throw new Error('no plan');
  const answer = detailOf(question, plan);
  if (answer.kind === 'refused') throw new Error(answer.why.key);
  const launch = launchPlanOf(plan, { architecture: model, name: 'small', configJson: '{}' });
  return {
    plan,
    detail: { ...answer.detail, changes: [...changesOf(question, plan)], maxMicroBatch: 7 },
    files: launch.kind === 'plan' ? launchFolder(launch.plan, locale) : null,
  };
}

/** Shows a plan in jsdom, without another one and not saved. */
export async function renderChosen(
  { detail, files, plan }: LookedAt,
  props: Partial<ComponentProps<typeof ChosenPlan>> = {},
  locale: Locale = 'en',
  readOnly = false,
) {
  installBrowser();
  const state = new AppState(new FakeBridge(null, { language: locale, readOnly }), 'en');
  const chosen: ComponentProps<typeof ChosenPlan> = {
    part: 'step',
    plan,
    detail,
    files,
    other: null,
    saving: { kind: 'idle' },
    onsave: () => undefined,
    onchange: () => undefined,
    ...props,
  };
  const { container, rerender } = render(ChosenHost, { props: { state, chosen } });
  await settle();
  return {
    container,
    change: async (changed: Partial<ComponentProps<typeof ChosenPlan>>) => {
      await rerender({ chosen: { ...chosen, ...changed } });
      await settle();
    },
  };
}
