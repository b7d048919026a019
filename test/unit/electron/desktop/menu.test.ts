import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import { menuTemplate, type MenuActions } from '../../../../electron/desktop/menu';
import { places } from '../../../../shared/alerts/places';

const nothing: MenuActions = { go: () => {}, command: () => {}, openLogs: () => {}, quit: () => {} };

/** All lines of all menus, without separators. */
function linesOf(template: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return template
    .flatMap((menu) => (Array.isArray(menu.submenu) ? menu.submenu : []))
    .filter((line) => line.type !== 'separator');
}

function choose(template: readonly MenuItemConstructorOptions[], label: string): void {
  const line = linesOf(template).find((candidate) => candidate.label === label);
  line?.click?.(undefined as never, undefined, undefined as never);
}

describe('the menu', () => {
  it('is in the language in use', () => {
    expect(menuTemplate('en', nothing, false).map((menu) => menu.label)).toEqual([
      'File',
      'Edit',
      'View',
      'Help',
    ]);
    expect(menuTemplate('zh-CN', nothing, false).map((menu) => menu.label)).toEqual([
      '文件',
      '编辑',
      '视图',
      '帮助',
    ]);
  });

  it('goes to each place', () => {
    const went: unknown[] = [];
    const template = menuTemplate('en', { ...nothing, go: (destination) => went.push(destination) }, false);
    for (const label of ['Workstation', 'Plan', 'Doctor', 'Check', 'Settings']) choose(template, label);
    expect(went).toEqual(places.map((place) => ({ place, gpuIndex: null, jobId: null })));
  });

  it('asks the page for what only the page can do', () => {
    const asked: string[] = [];
    const template = menuTemplate('en', { ...nothing, command: (command) => asked.push(command) }, false);
    for (const label of ['Pause or continue', 'Find', 'Keys', 'About Headroom']) choose(template, label);
    expect(asked).toEqual(['togglePause', 'find', 'showKeys', 'showAbout']);
  });

  it('opens the log and quits', () => {
    const done: string[] = [];
    const template = menuTemplate(
      'en',
      { ...nothing, openLogs: () => done.push('logs'), quit: () => done.push('quit') },
      false,
    );
    choose(template, 'Open the log folder');
    choose(template, 'Quit');
    expect(done).toEqual(['logs', 'quit']);
  });

  it('takes no key from a text field: plain keys are shown, not registered', () => {
    const plain = linesOf(menuTemplate('en', nothing, true)).filter(
      (line) => line.accelerator !== undefined && !/Ctrl|F\d/.test(String(line.accelerator)),
    );
    expect(plain.map((line) => line.accelerator)).toEqual(['1', '2', '3', '4', '5', 'Space']);
    expect(plain.every((line) => line.registerAccelerator === false)).toBe(true);
  });

  it('cannot reload the page, and has developer tools in development only', () => {
    const roles = (development: boolean) =>
      linesOf(menuTemplate('en', nothing, development)).map((line) => line.role);
    expect(roles(true)).not.toContain('reload');
    expect(roles(true)).toContain('toggleDevTools');
    expect(roles(false)).not.toContain('toggleDevTools');
  });
});
