// Loaded into the sampler by the soak (NODE_OPTIONS): on SIGUSR2 it collects all garbage and writes what is left, because
// only what lives after a collection tells a leak from memory that V8 has not yet cared to give back.
const { writeFileSync, renameSync } = require('node:fs');
const v8 = require('node:v8');
const vm = require('node:vm');

const file = process.env.HEADROOM_COLLECTED_FILE;
if (process.type === 'utility' && file !== undefined) {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    // Once more for what finalizers let go of.
    setImmediate(() => {
      collect();
      writeFileSync(`${file}.new`, String(process.memoryUsage().heapUsed));
      renameSync(`${file}.new`, file);
    });
  });
}
