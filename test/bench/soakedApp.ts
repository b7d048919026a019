import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { _electron, type CDPSession } from 'playwright-core';
import { environmentOf } from '../../build/electron/environment.mjs';
import { defaultSettings } from '../../shared/contract/defaultSettings';
import { endGroup } from '../e2e/harness/endGroup';
import type { BenchContext } from './bench';
import { commandLine, descendants } from './processMemory';

/** What an app holds at one moment. */
export interface SoakReading {
  readonly mainHeapBytes: number;
  readonly pageHeapBytes: number;
  readonly samplerBytes: number;
  readonly children: number;
  readonly openFiles: number;
  readonly handles: number;
  readonly listeners: number;
  readonly pageListeners: number;
  readonly elements: number;
}

export interface SoakedApp {
  readonly pid: number;
  readonly logFile: string;
  complaints(): readonly string[];
  read(): Promise<SoakReading>;
  close(): Promise<void>;
}

/** Starts the app on a scene at speed, with a way to ask main and page what they hold. */
export async function openSoak(
  { launcher, appFolder }: BenchContext,
  scene: string,
  speed: number,
): Promise<SoakedApp> {
  const config = mkdtempSync(path.join(os.tmpdir(), 'headroom-soak-'));
  const userData = path.join(config, 'Headroom');
  mkdirSync(userData);
  const settingsFile = path.join(userData, 'settings.json');
  writeFileSync(settingsFile, JSON.stringify({ ...defaultSettings, language: 'en', firstRunDone: true }));
  if (launcher.user !== null)
    for (const place of [config, userData, settingsFile])
      chownSync(place, launcher.user.uid, launcher.user.gid);
  const electron = await _electron.launch({
    executablePath: launcher.command,
    args: [...launcher.flags, appFolder],
    env: environmentOf(launcher, {
      XDG_CONFIG_HOME: config,
      HEADROOM_SCENE: scene,
      HEADROOM_SCENE_SPEED: String(speed),
    }),
    chromiumSandbox: !launcher.flags.includes('--no-sandbox'),
  });
  const pid = electron.process().pid;
  if (pid === undefined) throw new Error('Electron has no process id');
  const window = await electron.firstWindow();
  await window.locator('tr[data-gpu="6"]').waitFor({ timeout: 60_000 }); // The scene plays, not another one.
  const complaints: string[] = [];
  window.on('pageerror', (error) => complaints.push(error.message));
  const session = await window.context().newCDPSession(window);
  await session.send('Performance.enable');
  return {
    pid,
    logFile: path.join(userData, 'logs/headroom.log'),
    complaints: () => complaints,
    async read() {
      const main = await electron.evaluate(({ app, ipcMain, nativeTheme }) => ({
        mainHeapBytes: process.memoryUsage().heapUsed,
        handles: process.getActiveResourcesInfo().length,
        listeners: [app, ipcMain, nativeTheme, process].reduce(
          (sum, emitter) =>
            sum +
            emitter.eventNames().reduce((inner, event) => inner + emitter.listenerCount(event as 'exit'), 0),
          0,
        ),
      }));
      return { ...main, ...(await readPage(session)), ...readFromOutside(pid) };
    },
    async close() {
      await electron.close();
      endGroup(pid);
      rmSync(config, { recursive: true, force: true });
    },
  };
}

async function readPage(
  session: CDPSession,
): Promise<Pick<SoakReading, 'pageHeapBytes' | 'pageListeners' | 'elements'>> {
  const { metrics } = await session.send('Performance.getMetrics');
  const value = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    pageHeapBytes: value('JSHeapUsedSize'),
    pageListeners: value('JSEventListeners'),
    elements: value('Nodes'),
  };
}

function readFromOutside(mainPid: number): Pick<SoakReading, 'samplerBytes' | 'children' | 'openFiles'> {
  const below = descendants(mainPid);
  const sampler = below.find((pid) =>
    commandLine(pid).some((word) => word.includes('utility-sub-type=node')),
  );
  const memory = sampler === undefined ? '' : readFileSync(`/proc/${sampler}/smaps_rollup`, 'utf8');
  return {
    samplerBytes: Number(/^Pss:\s+(\d+) kB/m.exec(memory)?.[1] ?? 0) * 1024,
    children: below.length,
    openFiles: [mainPid, ...(sampler === undefined ? [] : [sampler])]
      .map((pid) => readdirSync(`/proc/${pid}/fd`).length)
      .reduce((sum, one) => sum + one, 0),
  };
}
