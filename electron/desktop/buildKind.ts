/** Set by the bundler: true only in the build that the end-to-end tests start, false or missing everywhere else. */
declare const HEADROOM_TEST_BUILD: boolean | undefined;

/**
 * Whether this build lets a test answer dialogs. The bundler replaces the name by a constant, so that a release does
 * not even contain that code; a packaged app refuses it once more.
 */
export function isTestBuild(isPackaged: boolean): boolean {
  return typeof HEADROOM_TEST_BUILD !== 'undefined' && HEADROOM_TEST_BUILD && !isPackaged;
}
