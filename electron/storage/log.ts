import logger from 'electron-log/node';
import { redact } from './redact';

/** What the rest of main writes to. Every text is shortened and freed of private data before it reaches the disk. */
export interface Log {
  info(text: string): void;
  warn(text: string, error?: unknown): void;
  error(text: string, error?: unknown): void;
}

const maxFileBytes = 1024 * 1024;
const maxLineLength = 20_000;

/**
 * Opens the log in a file that is rotated by size (one old file is kept).
 *
 * The Node entry of electron-log is used, not its Electron entry: that one registers channels of its own on ipcMain,
 * which would answer without our check of the sender.
 */
export function openLog(file: string, homeFolder: string, echo: boolean): Log {
  logger.transports.file.resolvePathFn = () => file;
  logger.transports.file.maxSize = maxFileBytes;
  logger.transports.file.level = 'info';
  logger.transports.file.sync = false; // A slow disk must not hold up the main process.
  logger.transports.console.level = echo ? 'info' : false;

  const clean = (text: string, error: unknown): string =>
    redact((error === undefined ? text : `${text} ${describe(error)}`).slice(0, maxLineLength), homeFolder);
  return {
    info: (text) => logger.info(clean(text, undefined)),
    warn: (text, error) => logger.warn(clean(text, error)),
    error: (text, error) => logger.error(clean(text, error)),
  };
}

/** The stack of an Error, or the text of whatever else was thrown. */
export function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
