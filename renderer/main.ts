import { mount } from 'svelte';
import type { Bridge } from '../shared/contract/bridge';
import App from './App.svelte';
import { AppState } from './state/app.svelte';
import { reportErrors } from './state/errors';
import './styles/tokens.css';
import './styles/base.css';

declare global {
  interface Window {
    /** What the preload offers; see shared/contract/bridge.ts. */
    readonly headroom: Bridge;
  }
}

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no #app');
reportErrors(window.headroom);
mount(App, { target, props: { state: new AppState(window.headroom, navigator.language) } });
