import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../../../electron/storage/redact';

const home = '/home/ada';

describe('redact', () => {
  it.each([
    ['/home/ada/runs/train.py failed', '~/runs/train.py failed'],
    ['/home/grace/train.py', '/home/***/train.py'],
    ['/Users/grace/x', '/Users/***/x'],
    ['C:\\Users\\grace\\x', 'C:\\Users\\***\\x'],
    ['train.py --api-key=abc123 --lr 1e-4', 'train.py --api-key=*** --lr 1e-4'],
    ['train.py --hub_token abc123 --lr 1e-4', 'train.py --hub_token *** --lr 1e-4'],
    ['WANDB_API_KEY=abc123 python train.py', 'WANDB_API_KEY=*** python train.py'],
    ["AWS_SECRET_ACCESS_KEY='a b c' run", 'AWS_SECRET_ACCESS_KEY=*** run'],
    ['{"password": "open sesame", "user": "ada"}', '{"password": ***, "user": "ada"}'],
    ['Authorization: Bearer abc.def', 'Authorization: ***'],
    ['https://ada:secret@host/repo.git', 'https://***@host/repo.git'],
    ['login with hf_AbCdEfGhIjKl', 'login with ***'],
    ['key sk-abcdef123456', 'key ***'],
    ['wandb 0123456789abcdef0123456789abcdef01234567', 'wandb ***'],
    ['nothing to hide: 23.1 GiB on card 0, pid 41822', 'nothing to hide: 23.1 GiB on card 0, pid 41822'],
    ['max_tokens=512 tokenizer=fast', 'max_tokens=512 tokenizer=fast'],
  ])('%s', (text, expected) => expect(redact(text, home)).toBe(expected));

  it('hides a named secret wherever it stands and whatever it is', () => {
    const name = fc.constantFrom('--token', '--api-key', 'HF_TOKEN', 'DB_PASSWORD', 'client_secret');
    const value = fc.stringMatching(/^[A-Za-z0-9+/_.~@:-]{6,30}$/).filter((text) => !text.startsWith('-'));
    fc.assert(
      fc.property(name, fc.constantFrom('=', ': '), value, (key, sign, secret) => {
        expect(redact(`run ${key}${sign}${secret} end`, home)).not.toContain(secret);
      }),
    );
  });

  it('copes with long texts of one shape', () => {
    const long = 'a-'.repeat(50_000) + ' token '.repeat(5_000);
    expect(redact(long, home).length).toBeGreaterThan(0);
  });
});
