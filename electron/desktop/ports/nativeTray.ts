import { Menu, nativeImage, Tray as ElectronTray, type NativeImage } from 'electron';
import { toBitmap, type Picture } from '../tray/picture';
import type { OpenTray, TrayLine } from './tray';

/** The system's tray. Only its icon, text and menu ever change: a second object would not show on every desktop. */
export const openNativeTray: OpenTray = (first, onClick) => {
  const tray = new ElectronTray(imageOf(first));
  // Windows and some Linux desktops; elsewhere a click opens the menu, whose first line does the same.
  tray.on('click', onClick);
  return {
    setIcon: (pictures) => tray.setImage(imageOf(pictures)),
    setTooltip: (text) => tray.setToolTip(text),
    setMenu: (lines) => tray.setContextMenu(Menu.buildFromTemplate(lines.map(menuItem))),
    remove: () => tray.destroy(),
  };
};

function menuItem(line: TrayLine): Electron.MenuItemConstructorOptions {
  return line.kind === 'separator'
    ? { type: 'separator' }
    : { id: line.id, label: line.label, enabled: line.enabled, click: line.onClick };
}

/** The pictures as one image, each for the screen whose scale fits; the first is for a plain one. */
function imageOf([first, ...others]: readonly Picture[]): NativeImage {
  if (first === undefined) return nativeImage.createEmpty();
  const { width, height } = first;
  const image = nativeImage.createFromBitmap(Buffer.from(toBitmap(first)), { width, height });
  for (const other of others)
    image.addRepresentation({
      width: other.width,
      height: other.height,
      scaleFactor: other.width / width,
      buffer: Buffer.from(toBitmap(other)),
    });
  return image;
}
