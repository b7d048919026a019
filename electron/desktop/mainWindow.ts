import { BrowserWindow, nativeTheme, screen } from 'electron';
import { problemText } from '../errors';
import { fitBounds, type SavedBounds } from './bounds';
import { startPage } from './origin';
import { isPositionKnown, rememberBounds } from './rememberBounds';
import { backgrounds, showWhenReady, windowOptions } from './window';

export interface MainWindowOptions {
  readonly preload: string;
  readonly icon: string;
  readonly title: string;
  readonly development: boolean;
  /** The bounds of the last time, null for a first start. */
  readonly savedBounds: SavedBounds | null;
  readonly saveBounds: (bounds: SavedBounds) => void;
  /** Called whenever the window appears or disappears (hidden, minimised, closed). */
  readonly onVisible: (visible: boolean) => void;
  /** Asked when the window is about to close; false keeps it, as whoever was asked hides it or ends the app. */
  readonly mayClose: () => boolean;
  /** Called when the page begins to load, before any of its scripts run. */
  readonly onLoad: () => void;
  /** Called when the page's process ended by itself, or the page could not be loaded at all. */
  readonly onGone: (reason: string) => unknown;
}

/** The one window: opened on demand, shown again when asked for twice, gone when closed. */
export class MainWindow {
  private window: BrowserWindow | null = null;
  private bounds: SavedBounds | null;
  private readonly shown: Promise<void>;
  private tellShown = (): void => undefined;

  constructor(private readonly options: MainWindowOptions) {
    this.bounds = options.savedBounds;
    this.shown = new Promise((resolve) => (this.tellShown = resolve));
    nativeTheme.on('updated', () => this.window?.setBackgroundColor(currentBackground()));
  }

  /** The live window, or null while there is none. */
  current(): BrowserWindow | null {
    return this.window;
  }

  /** Opens the window, or brings the open one to the front. */
  show(): void {
    if (this.window === null) {
      this.window = this.open();
      showWhenReady(this.window);
      return;
    }
    if (this.window.isMinimized()) this.window.restore();
    this.window.show();
    this.window.focus();
  }

  /** Takes the window out of sight; what was typed in it stays. */
  hide(): void {
    this.window?.hide();
  }

  /** Resolves when a window is in sight for the first time. */
  firstShown(): Promise<void> {
    return this.shown;
  }

  /** Acts when the page listens: now, or as soon as it is loaded. Nothing happens without a window. */
  onceLoaded(act: () => void): void {
    const contents = this.window?.webContents;
    if (contents === undefined) return;
    if (contents.isLoading()) contents.once('did-finish-load', act);
    else act();
  }

  /** Whether a person has the window in front. */
  isFocused(): boolean {
    return this.window?.isFocused() ?? false;
  }

  /** Opens the window as no more than its entry in the task bar. */
  openMinimised(): void {
    this.window ??= this.open();
    this.window.minimize();
  }

  /** Loads the page anew, e.g. after its process ended. */
  reload(): void {
    this.window?.webContents.reload();
  }

  private open(): BrowserWindow {
    const { options } = this;
    const window = new BrowserWindow(
      windowOptions({
        bounds: fitBounds(this.bounds, workAreas()),
        preload: options.preload,
        icon: options.icon,
        dark: nativeTheme.shouldUseDarkColors,
        title: options.title,
        development: options.development,
      }),
    );
    if (this.bounds?.maximised === true) window.maximize();
    rememberBounds(window, isPositionKnown(process.env), (bounds) => {
      this.bounds = bounds;
      options.saveBounds(bounds);
    });
    this.reportVisibility(window);
    window.on('close', (event) => {
      if (!options.mayClose()) event.preventDefault();
    });
    window.webContents.on('did-start-loading', options.onLoad);
    window.webContents.on('render-process-gone', (_event, details) => {
      if (details.reason !== 'clean-exit') options.onGone(details.reason);
    });
    window.loadURL(startPage).catch((error: unknown) => {
      if (!window.isDestroyed()) options.onGone(problemText(error));
    });
    return window;
  }

  private reportVisibility(window: BrowserWindow): void {
    const report = (): void => this.options.onVisible(window.isVisible() && !window.isMinimized());
    window.on('show', report);
    window.on('show', () => this.tellShown());
    window.on('hide', report);
    window.on('minimize', report);
    window.on('restore', report);
    window.on('closed', () => {
      this.window = null;
      this.options.onVisible(false);
    });
  }
}

function currentBackground(): string {
  return nativeTheme.shouldUseDarkColors ? backgrounds.dark : backgrounds.light;
}

/** The screens without panels and docks, the main one first. */
function workAreas(): Electron.Rectangle[] {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id);
  return [primary, ...others].map((display) => display.workArea);
}
