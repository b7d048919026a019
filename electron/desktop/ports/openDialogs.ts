import type { BrowserWindow } from 'electron';
import type { Dialogs } from './dialogs';
import { nativeDialogs } from './nativeDialogs';
import { ScriptedDialogs } from './scriptedDialogs';

/** Set by the bundler: true only in the build that the end-to-end tests start, false in every other. */
declare const HEADROOM_TEST_BUILD: boolean | undefined;

/**
 * The system's dialogs; in the build made for tests, dialogs that a test answers through `globalThis`. The bundler
 * replaces the name by a constant here, in this file, so that every other build does not even contain that code (a
 * test of the built files looks for it); a packaged app would refuse it once more.
 */
export function openDialogs(isPackaged: boolean, window: () => BrowserWindow | null): Dialogs {
  if (typeof HEADROOM_TEST_BUILD !== 'undefined' && HEADROOM_TEST_BUILD && !isPackaged) {
    const scripted = new ScriptedDialogs();
    Object.assign(globalThis, { headroomDialogs: scripted });
    return scripted;
  }
  return nativeDialogs(window);
}
