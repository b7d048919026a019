import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'test/component/preview',
  plugins: [svelte({ configFile: false })],
  server: { port: 5199, strictPort: true },
});
