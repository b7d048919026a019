import { Failure } from '../tools/failure.mjs';

/** As in package.json: the first version whose `require` can load ES modules, which the tools need. */
const oldest = { major: 20, minor: 19 };

/**
 * Refuses a Node that is too old before anything is installed with it.
 *
 * @param {string} [version] as `process.versions.node`
 * @throws {Failure}
 */
export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const newEnough = major > oldest.major || (major === oldest.major && minor >= oldest.minor);
  if (newEnough) return;
  throw new Failure(
    `this is Node ${version}, but ${oldest.major}.${oldest.minor} or newer is needed. Get it from https://nodejs.org, then run the same command again.`,
  );
}
