import { externalLinks, type ExternalLink } from '../../shared/contract/links';
import { parseUrl } from './origin';

/**
 * Opens a page of our table in the system's browser; rejects with the system's reason. The address never comes from
 * the window, and one that is not https is refused even if it should get into the table.
 */
export async function openExternalLink(
  link: ExternalLink,
  open: (url: string) => Promise<void>,
): Promise<void> {
  const url = parseUrl(externalLinks[link]);
  if (url?.protocol !== 'https:') throw new Error(`${link} is not an https address.`);
  await open(url.href);
}
