import { configure, render } from '@testing-library/svelte';
import axe from 'axe-core';
import { tick } from 'svelte';
import { expect } from 'vitest';
import App from '../../../renderer/App.svelte';
import { loadViews } from '../../../renderer/shell/views';
import { AppState } from '../../../renderer/state/app.svelte';
import type { Settings } from '../../../shared/contract/settings';
import type { Snapshot } from '../../../shared/alerts/snapshot';
import { installBrowser, type FakeViewport } from './browser';
import { FakeBridge } from './fakeBridge';

/** As long as `expect.poll` waits on a busy machine (build/vitest.config.ts). */
configure({ asyncUtilTimeout: 60_000 });

export interface RenderedApp {
  readonly bridge: FakeBridge;
  readonly state: AppState;
  readonly container: HTMLElement;
}

/** The whole window on a fake main, with its first Snapshot and history shown. */
export async function renderApp(
  snapshot: Snapshot | null,
  options: {
    readonly settings?: Partial<Settings>;
    readonly viewport?: FakeViewport;
    /** Called before anything is asked, to make main answer otherwise. */
    readonly prepare?: (bridge: FakeBridge) => void;
  } = {},
): Promise<RenderedApp> {
  installBrowser(options.viewport);
  await loadViews(); // As in a window that has been open for a moment.
  const bridge = new FakeBridge(snapshot, options.settings);
  options.prepare?.(bridge);
  const state = new AppState(bridge, 'en');
  const { container } = render(App, { props: { state } });
  await settle();
  return { bridge, state, container };
}

/** Lets promises of the fake main and Svelte's updates run. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await Promise.resolve();
    await tick();
  }
}

/** Fails with the rule and the element where axe-core finds a fault. Contrast is measured on the tokens instead. */
export async function expectAccessible(container: HTMLElement): Promise<void> {
  const { violations } = await axe.run(container, {
    resultTypes: ['violations'],
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)).toEqual(
    [],
  );
}
