/** The one place the window loads from: `app://headroom/`, served by our own protocol handler. */
export const appScheme = 'app';
const appHost = 'headroom';
export const startPage = `${appScheme}://${appHost}/index.html`;

/**
 * Whether a URL lies under our own origin. Compares parsed parts: Node says `null` for the origin of a custom scheme,
 * and a comparison of prefixes would let `app://headroom.example/` through.
 */
export function isOwnUrl(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== null &&
    url.protocol === `${appScheme}:` &&
    url.host === appHost &&
    url.username === '' &&
    url.password === ''
  );
}

/** Whether a URL is the one page of the app; its query and fragment do not matter. */
export function isStartPage(text: string): boolean {
  return isOwnUrl(text) && ['/', '/index.html'].includes(parseUrl(text)?.pathname ?? '');
}

/** A parsed URL, or null where the text is none. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // The only error is that it is no URL; URL.canParse is newer than Electron 25.
  }
}
