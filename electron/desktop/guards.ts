import { app, protocol, session } from 'electron';
import type { Log } from '../storage/log';
import { denyWandering } from './navigation';
import { denyPermissions } from './permissions';
import { schemePrivileges, serveRenderer } from './protocol';
import { blockForeignRequests } from './requests';

/** What must be said before Electron is ready. See SECURITY.md for what each of these promises. */
export function guardApp(enforceSandbox: boolean, log: Log): void {
  // GTK 4 in one process with the GTK 3 of a tray library ends it (electron/electron#46538).
  app.commandLine.appendSwitch('gtk-version', '3');
  // The app asks nothing of any network. Name look-ups that no request filter sees (prefetches) find nothing either.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND');
  if (enforceSandbox) app.enableSandbox();
  protocol.registerSchemesAsPrivileged([schemePrivileges]);
  app.on('web-contents-created', (_event, contents) => denyWandering(contents, log));
}

/** What the session of the window may do; to be called before the first window opens. */
export function guardSession(rendererFolder: string, development: boolean, log: Log): void {
  denyPermissions(session.defaultSession);
  blockForeignRequests(session.defaultSession, development, log);
  serveRenderer(protocol, rendererFolder, log);
}
