import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AlertWatch } from '../../../../electron/alerts/alertWatch';
import { Freeing } from '../../../../electron/ending/freeing';
import { noProcesses } from '../../../../electron/ending/processes';
import { allHandlers, handlerGroups, type Services } from '../../../../electron/ipc/handlers';
import { SnapshotPush } from '../../../../electron/ipc/snapshotPush';
import { ScriptedDialogs } from '../../../../electron/desktop/ports/scriptedDialogs';
import { PlanFileStore } from '../../../../electron/storage/planStore';
import { SettingsFileStore } from '../../../../electron/storage/settingsStore';
import { defaultSettings } from '../../../../shared/contract/defaultSettings';
import { calls } from '../../../../shared/contract/ipc';
import { FakeLog, FakeSource } from '../fakes';

async function services(): Promise<Services> {
  const source = new FakeSource();
  const log = new FakeLog();
  return {
    source,
    push: new SnapshotPush(source, () => undefined),
    watch: new AlertWatch(
      source,
      () => defaultSettings,
      () => 0,
      { saved: () => [], save: () => undefined },
    ),
    freeing: new Freeing({
      latest: () => null,
      isReadOnly: () => true,
      protection: () => ({ uid: null, ownPids: new Set() }),
      processes: noProcesses,
      dialogs: new ScriptedDialogs(),
      locale: () => 'en',
      log,
      onProgress: () => undefined,
      onEnding: () => undefined,
    }),
    desktopState: () => ({ trayHost: 'unknown', notifications: true, startAtLogin: true }),
    scenes: [],
    settings: await SettingsFileStore.open('/nowhere/settings.json', log),
    dialogs: new ScriptedDialogs(),
    plan: await PlanFileStore.open('/nowhere/plan.json', log),
    homeFolder: '/nowhere',
    readLinks: () => Promise.resolve([]),
    onSaved: () => undefined,
    measuring: {
      state: () => ({ python: null, run: null }),
      choosePython: () => Promise.resolve({ python: null, run: null }),
      start: () => Promise.resolve({ python: null, run: null }),
      stop: () => ({ python: null, run: null }),
    },
    receipts: {
      state: () => ({ plans: [], ties: [], receipts: [], notice: null }),
      tie: () => false,
      delete: () => false,
    },
    locale: () => 'en',
    platform: 'linux',
    info: {
      name: 'Headroom',
      version: '0.1.0',
      electronVersion: '',
      chromeVersion: '',
      nodeVersion: '',
      platform: 'linux',
      systemLocale: 'en',
      sandboxed: true,
    },
    log,
    openLogFolder: () => Promise.resolve(''),
  };
}

describe('the IPC contract', () => {
  it('has exactly one handler for every call', async () => {
    const names = handlerGroups(await services()).flatMap((group) => Object.keys(group));
    expect(names.sort()).toEqual(Object.keys(calls).sort());
    expect(Object.keys(allHandlers(await services())).sort()).toEqual(Object.keys(calls).sort());
  });

  it.each(Object.entries(calls))(
    'takes for %s null or an object without unknown keys',
    (_name, { argument }) => {
      const schema: z.ZodType = argument;
      if (schema instanceof z.ZodNull) return expect(schema.safeParse({}).success).toBe(false);
      expect(schema).toBeInstanceOf(z.ZodObject);
      const unknownKey = schema.safeParse({ surprise: 1 });
      expect(unknownKey.error?.issues.some((issue) => issue.code === 'unrecognized_keys')).toBe(true);
    },
  );

  it('limits the length of every text, so that no message can fill the memory', () => {
    const endless = 'x'.repeat(1024 * 1024);
    for (const { argument } of Object.values(calls)) {
      const schema: z.ZodType = argument;
      const shape: Readonly<Record<string, z.ZodType>> = schema instanceof z.ZodObject ? schema.shape : {};
      for (const [key, value] of Object.entries(shape))
        expect([key, value.safeParse(endless).success]).toEqual([key, false]);
    }
  });
});
