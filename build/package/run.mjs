import { setUpEverything } from '../setup/everything.mjs';
import { runScript } from '../tools/failure.mjs';
import { say } from '../tools/say.mjs';

/** `npm run package [-- KIND …]`: packages for this system, into release/. */
await runScript(async () => {
  await setUpEverything({ virtualScreen: false });
  // Loaded here, because electron-builder is there only after the dependencies were installed.
  const [{ packApp }, { releaseFolder }] = await Promise.all([
    import('./package.mjs'),
    import('./builder.mjs'),
  ]);
  for (const { name, bytes } of await packApp(process.argv.slice(2), releaseFolder))
    say(`release/${name}: ${(bytes / 2 ** 20).toFixed(1)} MiB`);
});
