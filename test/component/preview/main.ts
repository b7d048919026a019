import { mount } from 'svelte';
import App from '../../../renderer/App.svelte';
import { AppState } from '../../../renderer/state/app.svelte';
import '../../../renderer/styles/tokens.css';
import '../../../renderer/styles/base.css';
import { places } from '../../../shared/alerts/places';
import { FakeBridge } from '../support/fakeBridge';
import { scenes } from '../support/scenes';

/**
 * The page without Electron, for looking at it: `?scene=eightCards&language=zh-CN&theme=dark&place=settings&card=2`.
 * Run it with `npx vite --config test/component/preview/vite.config.ts`.
 */
const wish = new URLSearchParams(location.search);
const sceneName = Object.keys(scenes).find((name) => name === wish.get('scene')) ?? 'twoCards';
const scene = scenes[sceneName as keyof typeof scenes];
const bridge = new FakeBridge(wish.get('scene') === 'none' ? null : scene(), {
  language: wish.get('language') === 'zh-CN' ? 'zh-CN' : 'en',
  theme: wish.get('theme') === 'dark' ? 'dark' : 'light',
});
const state = new AppState(bridge, 'en');
const place = places.find((one) => one === wish.get('place'));
if (place !== undefined) state.route.go(place);
const chosen = wish.get('card');
if (chosen !== null) state.workstation.chooseCard(Number(chosen));
if (wish.get('span') === 'hour') state.history.choose('hour');
if (wish.get('tab') === 'host') state.workstation.tab = 'host';
if (wish.get('as') === 'table') state.workstation.historyAs = 'table';

const target = document.getElementById('app');
if (target !== null) mount(App, { target, props: { state } });
