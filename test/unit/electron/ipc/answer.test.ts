import { describe, expect, it } from 'vitest';
import { answerWith, CallRefusal, type Handlers } from '../../../../electron/ipc/answer';
import { listenForCalls, type CallPort, type Frame } from '../../../../electron/ipc/listen';
import { defaultSettings } from '../../../../shared/contract/defaultSettings';
import { message } from '../../../../shared/i18n/message';
import { FakeLog } from '../fakes';

const ownFrame: Frame = { url: 'app://headroom/index.html' };

type Listener = Parameters<CallPort['handle']>[1];

/** Registers handlers that note their arguments and answer something simple. */
function setUp(own: Partial<Handlers> = {}, frame = ownFrame) {
  const ran: unknown[] = [];
  const log = new FakeLog();
  const note =
    <Result>(result: Result) =>
    (argument: unknown): Result => {
      ran.push(argument);
      return result;
    };
  const settings = { settings: defaultSettings, notice: null };
  const handlers: Handlers = {
    'snapshot.current': note(null),
    'history.read': note({
      span: 'hour',
      fromTime: 0,
      toTime: 1,
      intervalSeconds: null,
      cards: [],
      marks: [],
    }),
    'view.visible': note(null),
    'scenes.list': note([]),
    'scenes.choose': note(null),
    'settings.read': note(settings),
    'settings.change': note(settings),
    'settings.chooseNvidiaSmi': note(settings),
    'app.info': () => {
      throw new Error('the disk of /home/ada is on fire');
    },
    'alerts.read': note({ history: [], snoozedUntil: {}, oomExits: [] }),
    'alerts.snooze': note({ history: [], snoozedUntil: {}, oomExits: [] }),
    'desktop.read': note({ trayHost: 'present', notifications: true, startAtLogin: true }),
    'jobs.free': note({ kind: 'cancelled' }),
    'jobs.doNotWait': note(null),
    'plan.read': note(null),
    'plan.links': note([]),
    'plan.remember': note(null),
    'plan.save': note({ kind: 'cancelled' }),
    'receipts.read': note({ plans: [], ties: [], receipts: [], notice: null }),
    'receipts.tie': note({ plans: [], ties: [], receipts: [], notice: null }),
    'receipts.delete': note({ plans: [], ties: [], receipts: [], notice: null }),
    'measure.read': note({ python: null, run: null }),
    'measure.choosePython': note({ python: null, run: null }),
    'measure.start': note({ python: null, run: null }),
    'measure.stop': note({ python: null, run: null }),
    'app.openLogs': note(null),
    'log.rendererError': note(null),
    ...own,
  };
  const channels: string[] = [];
  let listener: Listener | undefined;
  let trusted: Frame | null = frame;
  listenForCalls({
    port: {
      handle: (channel, added) => {
        channels.push(channel);
        listener = added;
      },
    },
    trustedFrame: () => trusted,
    answer: answerWith(handlers, log),
    log,
  });
  return {
    ran,
    log,
    channels,
    closeWindow: () => (trusted = null),
    call: (sender: Frame | null, ...values: unknown[]) => listener?.({ senderFrame: sender }, ...values),
  };
}

describe('calls of the window', () => {
  it('listens on one channel only', () => {
    expect(setUp().channels).toEqual(['headroom:call']);
  });

  it('answers a call of our own window with its value', async () => {
    const { call, ran } = setUp();
    expect(await call(ownFrame, 'scenes.choose', { sceneId: 'eight-healthy' })).toEqual({
      ok: true,
      value: null,
    });
    expect(ran).toEqual([{ sceneId: 'eight-healthy' }]);
  });

  describe('refuses an untrusted sender', () => {
    const disposed = Object.defineProperty({ url: '' }, 'url', {
      get: () => {
        throw new Error('Render frame was disposed before WebFrameMain could be accessed');
      },
    });
    const senders: readonly (readonly [string, Frame | null])[] = [
      ['no frame at all', null],
      ['a frame inside our page', { url: 'app://headroom/index.html' }],
      ['a frame of another origin', { url: 'https://example.com/' }],
      ['a disposed frame', disposed],
    ];
    it.each(senders)('%s', async (_name, sender) => {
      const { call, ran, log } = setUp();
      expect(await call(sender, 'snapshot.current', null)).toEqual({
        ok: false,
        code: 'untrusted-sender',
        message: { key: 'desktop.refusedSender', values: {} },
      });
      expect(ran).toEqual([]);
      expect(log.lines).toHaveLength(1);
    });

    it.each([
      'https://headroom/index.html',
      'app://headroom.example/index.html',
      'app://headroom:8080/index.html',
      'app://someone@headroom/index.html',
      'app:headroom',
      'file:///app/headroom',
      'about:blank',
      '',
    ])('our own main frame after it went to %j', async (url) => {
      const frame = { url: 'app://headroom/index.html' };
      const { call, ran } = setUp({}, frame);
      frame.url = url;
      expect(await call(frame, 'snapshot.current', null)).toMatchObject({ code: 'untrusted-sender' });
      expect(ran).toEqual([]);
    });

    it('anybody, once the window is closed', async () => {
      const { call, closeWindow } = setUp();
      closeWindow();
      expect(await call(ownFrame, 'snapshot.current', null)).toMatchObject({ code: 'untrusted-sender' });
    });
  });

  it.each(['processes.kill', '', 'toString', '__proto__', 'constructor', 7, null, undefined, {}])(
    'refuses the unknown call %j',
    async (name) => {
      const { call, ran } = setUp();
      expect(await call(ownFrame, name, null)).toMatchObject({ ok: false, code: 'unknown-call' });
      expect(ran).toEqual([]);
    },
  );

  it.each([
    ['snapshot.current', undefined],
    ['snapshot.current', { pid: 1 }],
    ['history.read', { span: 'year', pixelWidth: 400 }],
    ['history.read', { span: 'hour', pixelWidth: 0.5 }],
    ['history.read', { span: 'hour', pixelWidth: 1e9 }],
    ['history.read', { span: 'hour', pixelWidth: 400, path: '/etc/passwd' }],
    ['scenes.choose', { sceneId: 'x'.repeat(65) }],
    ['scenes.choose', {}],
    ['settings.change', { nvidiaSmiPath: '/tmp/evil' }],
    ['settings.change', { intervalSeconds: 0 }],
    ['settings.change', { theme: undefined }],
    ['settings.change', { thresholds: { hotCelsius: 'high' } }],
    ['settings.change', { rules: { 'no-such-rule': true } }],
    ['settings.change', JSON.parse('{"__proto__": {"readOnly": false}}')],
    ['log.rendererError', { text: 'x'.repeat(4_001), stack: null }],
  ])('refuses bad arguments: %s %j', async (name, argument) => {
    const { call, ran } = setUp();
    expect(await call(ownFrame, name, argument)).toMatchObject({ ok: false, code: 'bad-argument' });
    expect(ran).toEqual([]);
  });

  it('says which part of an argument is wrong', async () => {
    const reply = await setUp().call(ownFrame, 'history.read', { span: 'hour', pixelWidth: 'wide' });
    expect(reply).toMatchObject({
      message: {
        key: 'desktop.refusedArgument',
        values: { name: 'history.read', problem: expect.stringMatching(/^pixelWidth: /) },
      },
    });
  });

  it('gives back the reason of a refusal', async () => {
    const { call } = setUp({
      'scenes.choose': ({ sceneId }) => {
        throw new CallRefusal('not-found', message('desktop.unknownScene', { sceneId }));
      },
    });
    expect(await call(ownFrame, 'scenes.choose', { sceneId: 'nowhere' })).toEqual({
      ok: false,
      code: 'not-found',
      message: { key: 'desktop.unknownScene', values: { sceneId: 'nowhere' } },
    });
  });

  it('keeps the text of a fault in the log and out of the answer', async () => {
    const { call, log } = setUp();
    expect(await call(ownFrame, 'app.info', null)).toEqual({
      ok: false,
      code: 'failed',
      message: { key: 'desktop.callFailed', values: { name: 'app.info' } },
    });
    expect(log.lines.join()).toContain('on fire');
  });
});
