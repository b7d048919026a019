import { mount } from 'svelte';
import type { RawBridge } from '../shared/contract/bridge';
import App from './App.svelte';
import { AppState } from './state/app.svelte';
import { readingBridge } from './state/bridge';
import { reportErrors } from './state/errors';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';

declare global {
  interface Window {
    /** What the preload offers; see shared/contract/bridge.ts. */
    readonly headroom: RawBridge;
  }
}

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no #app');
const bridge = readingBridge(window.headroom);
reportErrors(bridge);
mount(App, { target, props: { state: new AppState(bridge, navigator.language) } });
