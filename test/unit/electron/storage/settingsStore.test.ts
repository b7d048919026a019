import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { SettingsFileStore } from '../../../../electron/storage/settingsStore';
import { defaultSettings } from '../../../../shared/contract/defaultSettings';
import { settingsSchema, type SettingsState } from '../../../../shared/contract/settings';
import { FakeLog } from '../fakes';
import { temporaryFolder } from '../sensing/support';

let folder: string;
let file: string;
let log: FakeLog;
beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder, 'settings.json');
  log = new FakeLog();
});

const open = (): Promise<SettingsFileStore> => SettingsFileStore.open(file, log);
const onDisk = async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

describe('SettingsStore', () => {
  it('begins with the standard settings and writes nothing by itself', async () => {
    const store = await open();
    expect(store.state()).toEqual({ settings: defaultSettings, notice: null });
    await store.flush();
    expect(await readdir(folder)).toEqual([]);
  });

  it('holds what is assumed for this run, and writes nothing of it', async () => {
    const store = await open();
    store.assume({ firstRunDone: true });
    expect(store.settings().firstRunDone).toBe(true);
    await store.flush();
    expect(await readdir(folder)).toEqual([]);
  });

  it('keeps a change over a restart', async () => {
    const store = await open();
    store.change({ theme: 'dark', thresholds: { hotCelsius: 80 } });
    await store.flush();
    const again = await open();
    expect(again.settings()).toEqual({
      ...defaultSettings,
      theme: 'dark',
      thresholds: { ...defaultSettings.thresholds, hotCelsius: 80 },
    });
  });

  it('writes the last of many quick changes', async () => {
    const store = await open();
    for (let seconds = 1; seconds <= 60; seconds += 1) store.change({ intervalSeconds: seconds });
    await store.flush();
    expect(await onDisk()).toMatchObject({ intervalSeconds: 60 });
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  it('tells listeners what changed, and nothing when nothing did', async () => {
    const store = await open();
    const heard: (readonly [string, string])[] = [];
    const stop = store.onChange((state, before) => heard.push([before.theme, state.settings.theme]));
    store.change({ theme: 'dark' });
    store.change({ theme: 'dark' });
    stop();
    store.change({ theme: 'light' });
    expect(heard).toEqual([['system', 'dark']]);
    await store.flush();
  });

  it('keeps a damaged file aside, starts with the standard settings, and says so', async () => {
    await writeFile(file, '{"version": 1, "theme"');
    const store = await open();
    expect(store.state()).toEqual({
      settings: defaultSettings,
      notice: { key: 'desktop.settingsDamaged', values: { file: 'settings.damaged.json' } },
    });
    await store.flush();
    expect(await readFile(path.join(folder, 'settings.damaged.json'), 'utf8')).toBe('{"version": 1, "theme"');
    expect(await onDisk()).toEqual(defaultSettings);
    expect((await open()).state().notice).toBeNull();
  });

  it('repairs single values, and says so', async () => {
    await writeFile(file, JSON.stringify({ ...defaultSettings, theme: 'dark', intervalSeconds: -1 }));
    const store = await open();
    expect(store.settings()).toEqual({ ...defaultSettings, theme: 'dark' });
    expect(store.state().notice?.key).toBe('desktop.settingsRepaired');
    await store.flush();
    expect(await readdir(folder)).toEqual(['settings.json', 'settings.repaired.json']);
  });

  it('keeps the file of a newer version', async () => {
    await writeFile(file, JSON.stringify({ ...defaultSettings, version: 99, theme: 'dark', more: 1 }));
    const store = await open();
    expect(store.settings().theme).toBe('dark');
    expect(store.state().notice?.key).toBe('desktop.settingsNewer');
    await store.flush();
    expect(JSON.parse(await readFile(path.join(folder, 'settings.newer.json'), 'utf8'))).toMatchObject({
      version: 99,
    });
  });

  it('works on, and says so, where the file can be neither read nor written', async () => {
    await mkdir(file);
    const store = await open();
    expect(store.state()).toMatchObject({
      settings: defaultSettings,
      notice: { key: 'desktop.settingsUnreadable' },
    });
    const heard: SettingsState[] = [];
    store.onChange((state) => heard.push(state));
    store.change({ theme: 'dark' });
    await store.flush();
    expect(store.settings().theme).toBe('dark');
    expect(heard.map((state) => state.notice?.key)).toEqual([undefined, 'desktop.settingsNotSaved']);
  });

  it('opens whatever bytes the file holds', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .tuple(fc.nat(), fc.uint8Array({ maxLength: 4 }))
        .map(([at, inserted]) => damage(JSON.stringify(defaultSettings), at, inserted)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(file, content);
        const store = await open();
        await store.flush();
        expect(settingsSchema.safeParse(store.settings()).success).toBe(true);
        expect(settingsSchema.safeParse(await onDisk()).success).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

/** A good text with some bytes replaced in the middle. */
function damage(text: string, at: number, inserted: Uint8Array): Buffer {
  const bytes = Buffer.from(text);
  bytes.set(inserted, at % (bytes.length - inserted.length));
  return bytes;
}
