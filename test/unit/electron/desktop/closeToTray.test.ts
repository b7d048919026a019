import { expect, it } from 'vitest';
import { CloseToTray } from '../../../../electron/desktop/closeToTray';
import { ScriptedDialogs } from '../../../../electron/desktop/ports/scriptedDialogs';
import { SettingsFileStore } from '../../../../electron/storage/settingsStore';
import type { Settings } from '../../../../shared/contract/settings';
import { translate } from '../../../../shared/i18n/translate';
import { FakeLog } from '../fakes';
import { temporaryFolder } from '../sensing/support';

async function setUp(
  given: Partial<Pick<Settings, 'closeBehaviour' | 'closeToTrayExplained'>>,
  canHide = true,
  isKnown = true,
) {
  const settings = await SettingsFileStore.open(`${temporaryFolder()}/settings.json`, new FakeLog());
  settings.change(given);
  const dialogs = new ScriptedDialogs();
  const done: string[] = [];
  let known = isKnown ? canHide : null;
  const closing = new CloseToTray({
    settings,
    dialogs,
    words: (text) => translate('en', text),
    tray: {
      canHide: () => known,
      start: async () => {
        await Promise.resolve();
        known = canHide;
      },
    },
    hide: () => done.push('hide'),
    quit: () => done.push('quit'),
  });
  const close = async () => {
    const may = closing.mayClose();
    await new Promise((resolve) => setTimeout(resolve));
    return may;
  };
  return { settings, dialogs, done, closing, close };
}

it('closes where closing ends the app', async () => {
  const { close, done } = await setUp({ closeBehaviour: 'quit' });
  expect(await close()).toBe(true);
  expect(done).toEqual([]);
});

it('hides, and explains that the first time only', async () => {
  const { close, done, dialogs, settings } = await setUp({ closeBehaviour: 'tray' });
  expect([await close(), await close()]).toEqual([false, false]);
  expect(done).toEqual(['hide', 'hide']);
  expect(dialogs.asked).toMatchObject([{ id: 'close-to-tray', safeButtonId: 'keep' }]);
  expect(settings.settings().closeToTrayExplained).toBe(true);
});

it('ends the app, from now on, where that is chosen instead', async () => {
  const { close, done, dialogs, settings } = await setUp({ closeBehaviour: 'tray' });
  dialogs.answerNext('quit');
  expect(await close()).toBe(false);
  expect(done).toEqual(['quit']);
  expect(settings.settings().closeBehaviour).toBe('quit');
});

it('asks once, however often the window is closed meanwhile', async () => {
  const { closing, dialogs, done } = await setUp({ closeBehaviour: 'tray' });
  expect([closing.mayClose(), closing.mayClose()]).toEqual([false, false]);
  await new Promise((resolve) => setTimeout(resolve));
  expect([dialogs.asked.length, done]).toEqual([1, ['hide']]);
});

it('closes where no tray would bring the window back', async () => {
  const { close } = await setUp({ closeBehaviour: 'tray' }, false);
  expect(await close()).toBe(true);
});

it.each([
  { canHide: true, comes: 'hide' },
  { canHide: false, comes: 'quit' },
])('waits for the tray where it is not known yet: $comes', async ({ canHide, comes }) => {
  const { closing, close, done } = await setUp({ closeBehaviour: 'tray' }, canHide, false);
  expect([closing.mayClose(), await close()]).toEqual([false, false]);
  expect(done).toEqual([comes]);
});

it('closes when the app as a whole ends', async () => {
  const { close, closing } = await setUp({ closeBehaviour: 'tray' });
  closing.quitBegins();
  expect(await close()).toBe(true);
});
