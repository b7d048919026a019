import { describe, expect, test } from 'vitest';
import type { Command } from '../../../electron/commands/command';
import { columns, displayWidth } from '../../../electron/commands/output';
import { localeOf } from '../../../electron/commands/processIo';
import { message } from '../../../shared/i18n/message';
import { call } from './cliSupport';

const echo: Command = {
  name: 'inspect',
  summary: message('cli.inspectSummary'),
  positionals: [
    { name: 'FILE|-', required: true },
    { name: 'MORE', required: false },
  ],
  flags: [
    { kind: 'value', name: 'interval', placeholder: 'S', help: message('cli.flagJson') },
    { kind: 'value', name: 'world', placeholder: 'N', help: message('cli.flagJson') },
    { kind: 'value', name: 'method', placeholder: 'full|lora', help: message('cli.flagJson') },
    { kind: 'switch', name: 'once', help: message('cli.flagJson') },
  ],
  async run(args, io) {
    await io.stdout.write(
      JSON.stringify({
        positionals: args.positionals,
        interval: args.number('interval', { min: 0.1, max: 3600 }),
        world: args.integer('world', { min: 1, max: 1024 }),
        method: args.choice('method', ['full', 'lora']),
        once: args.has('once'),
        json: args.has('json'),
      }),
    );
    return 1;
  },
};

const broken: Command = {
  ...echo,
  name: 'broken',
  positionals: [],
  run: async () => {
    throw new Error('what\nhappened');
  },
};

const run = (...words: string[]) => call([echo, broken], words);

describe('what a call hands to its command', () => {
  test('flags in any order, with = or a blank, and positionals between', async () => {
    const answer = await run(
      'inspect',
      '--interval',
      '2.5',
      'a.txt',
      '--world=4',
      '--once',
      'b',
      '--method',
      'lora',
      '--json',
    );
    expect(answer.code).toBe(1);
    expect(JSON.parse(answer.stdout)).toEqual({
      positionals: ['a.txt', 'b'],
      interval: 2.5,
      world: 4,
      method: 'lora',
      once: true,
      json: true,
    });
  });

  test('absent flags are null, - is stdin, -- ends the flags', async () => {
    expect(JSON.parse((await run('inspect', '-')).stdout)).toEqual({
      positionals: ['-'],
      interval: null,
      world: null,
      method: null,
      once: false,
      json: false,
    });
    expect(JSON.parse((await run('inspect', '--', '--once')).stdout)).toMatchObject({
      positionals: ['--once'],
      once: false,
    });
  });
});

describe('refusals: one line on stderr, nothing on stdout, exit 2', () => {
  test.each([
    [['inspct', 'f'], 'headroom: no command is called "inspct"; did you mean "inspect"?'],
    [['zzzzzzzzz'], 'headroom: no command is called "zzzzzzzzz"; `headroom --help` lists them'],
    [['inspect'], 'headroom inspect: FILE|- is missing'],
    [['inspect', 'a', 'b', 'c'], 'headroom inspect: "c" is one argument too many'],
    [
      ['inspect', 'f', '--intervall', '3'],
      'headroom inspect: no flag is called --intervall; did you mean --interval?',
    ],
    [['inspect', 'f', '-x'], 'headroom inspect: no flag is called -x; --help lists them'],
    [['inspect', 'f', '--interval'], 'headroom inspect: --interval needs a value: S'],
    [['inspect', 'f', '--interval', '--once'], 'headroom inspect: --interval needs a value: S'],
    [
      ['inspect', 'f', '--interval', '1', '--interval', '2'],
      'headroom inspect: --interval is given twice; expected once',
    ],
    [['inspect', 'f', '--once=yes'], 'headroom inspect: --once takes no value'],
    [
      ['inspect', 'f', '--interval', 'soon'],
      'headroom inspect: --interval: "soon" is not a number from 0.1 to 3600',
    ],
    [
      ['inspect', 'f', '--interval', '-1'],
      'headroom inspect: --interval: "-1" is not a number from 0.1 to 3600',
    ],
    [
      ['inspect', 'f', '--world', '1.5'],
      'headroom inspect: --world: "1.5" is not a whole number from 1 to 1024',
    ],
    [['inspect', 'f', '--method', 'loraa'], 'headroom inspect: --method: "loraa" is not one of full, lora'],
    [['help', 'nothing'], 'headroom: no command is called "nothing"; `headroom --help` lists them'],
  ])('%j', async (words, line) => {
    expect(await run(...words)).toEqual({ code: 2, stdout: '', stderr: `${line}\n` });
  });

  test('control characters of a word do not reach the terminal', async () => {
    const { stderr } = await run('inspect', 'f', 'a', '\u001b[31mred');
    expect(stderr).toBe('headroom inspect: "\ufffd[31mred" is one argument too many\n');
  });

  test('without a command the overview goes to stderr', async () => {
    const { code, stdout, stderr } = await run();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: headroom COMMAND');
  });
});

describe('help and version', () => {
  test('--help on a command names every flag and wins over missing arguments', async () => {
    const { code, stdout, stderr } = await run('inspect', '--help');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Usage: headroom inspect FILE|- [MORE] [--…]');
    for (const flag of ['--interval S', '--world N', '--method full|lora', '--once', '--json', '--help'])
      expect(stdout).toContain(flag);
  });

  test('in Chinese', async () => {
    const { stdout } = await call([echo], ['--help'], { locale: 'zh-CN' });
    expect(stdout).toContain('用法：headroom');
  });

  test('--version', async () => {
    expect(await run('--version')).toEqual({ code: 0, stdout: 'headroom 1.2.3\n', stderr: '' });
  });
});

describe('faults and interrupts', () => {
  test('a fault of ours is one line and never a negative answer', async () => {
    expect(await run('broken')).toEqual({
      code: 70,
      stdout: '',
      stderr: 'headroom broken: internal fault, please report it: Error: what\ufffdhappened\n',
    });
  });

  test('an interrupted command ends quietly with 130', async () => {
    const ended = new AbortController();
    ended.abort();
    expect(await call([broken], ['broken'], { signal: ended.signal })).toEqual({
      code: 130,
      stdout: '',
      stderr: '',
    });
  });
});

test('the language: HEADROOM_LANG, then LC_ALL, LC_MESSAGES, LANG; an empty one does not count', () => {
  expect(localeOf({ LANG: 'zh_CN.UTF-8' })).toBe('zh-CN');
  expect(localeOf({ LANG: 'zh_CN.UTF-8', LC_ALL: 'C' })).toBe('en');
  expect(localeOf({ LANG: 'zh_CN.UTF-8', LC_ALL: '' })).toBe('zh-CN');
  expect(localeOf({ LANG: 'en_US.UTF-8', HEADROOM_LANG: 'zh' })).toBe('zh-CN');
  expect(localeOf({})).toBe('en');
});

test('columns line up with wide characters', () => {
  expect(displayWidth('显存 MiB')).toBe(8);
  expect(columns([['卡', 'x'], ['abc', 'y'], ['a']])).toEqual(['卡   x', 'abc  y', 'a']);
});
