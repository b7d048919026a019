import type { Session } from 'electron';
import { isOwnUrl } from './origin';

/** The page may put text on the clipboard (its copy buttons); it may ask for nothing else. */
const granted = 'clipboard-sanitized-write';

export function isPermitted(permission: string, requestingUrl: string): boolean {
  return permission === granted && isOwnUrl(requestingUrl);
}

/** Electron says yes to every permission unless both handlers say no. */
export function denyPermissions(
  session: Pick<
    Session,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
  >,
): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(isPermitted(permission, details.requestingUrl)),
  );
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) =>
    isPermitted(permission, requestingOrigin),
  );
  session.setDevicePermissionHandler(() => false);
}
