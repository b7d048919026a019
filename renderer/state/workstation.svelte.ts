import { SvelteSet } from 'svelte/reactivity';
import type { JobSort } from '../workstation/jobList';

/** What small windows show one at a time. */
export type WorkstationTab = 'jobs' | 'history' | 'host';

/** What a person chose in the Workstation; kept while other places are shown, so that nothing typed is lost. */
export class WorkstationChoices {
  /** The card whose large chart is open where cards have one line each. */
  chosenCard = $state<number | null>(null);
  filter = $state('');
  sort = $state.raw<JobSort>({ key: 'memory', descending: true });
  /** Keys of the table's rows that were opened or closed by hand. */
  readonly toggled = new SvelteSet<string>();
  /** The key of the row that is selected in the jobs table. */
  selected = $state<string | null>(null);
  historyAs = $state<'chart' | 'table'>('chart');
  tab = $state<WorkstationTab>('jobs');

  /** Opens the large chart of a card, or closes it where it is open. */
  chooseCard(gpuIndex: number): void {
    this.chosenCard = this.chosenCard === gpuIndex ? null : gpuIndex;
  }
}
