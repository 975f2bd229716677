import { describe, expect, it } from 'vitest';
import { createSecrets } from './secret-filter.js';

const KEY = 'sk-ant-api03-Zx9+/=&?Q"7wL2mN4pR6tV8yB1dF3hJ5kS0';
const secrets = createSecrets([
  { name: 'KEY', value: KEY },
  { name: 'OTHER', value: 'another-secret-of-the-desk' },
]);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const wrap = (text: string, columns: number) => text.replace(new RegExp(`(.{${columns}})`, 'g'), '$1\n');
/** Whether 12 or more consecutive characters of the secret remain. */
const holds = (text: string, form: string) => {
  for (let at = 0; at + 12 <= form.length; at += 1) if (text.includes(form.slice(at, at + 12))) return true;
  return false;
};

describe('Masked texts', () => {
  it.each([
    ['plain', KEY],
    ['in base64', base64(KEY)],
    ['in base64 after one character', base64(`x${KEY}yz`)],
    ['in base64 after two characters', base64(`xy${KEY}z`)],
    ['in URL-safe base64', Buffer.from(`xy${KEY}`).toString('base64url')],
    ['URL encoded', encodeURIComponent(KEY)],
    ['URL encoded in lowercase', encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase())],
    ['in JSON', JSON.stringify(KEY).slice(1, -1)],
    ['in hexadecimal', Buffer.from(KEY).toString('hex')],
    ['on two lines', `${KEY.slice(0, 20)}\n${KEY.slice(20)}`],
  ])('masks a secret %s', (_how, form) => {
    const masked = secrets.mask(`before ${form} after\n`);
    expect(masked).toMatch(/^before .{0,3}\[secret\].{0,3} after\n$/);
    expect(holds(masked, form)).toBe(false);
  });

  it.each([0, 1, 2, 3, 10, 40, 60, 70, 75])(
    'masks a secret in a base64-encoded environment with line breaks, %i characters in',
    (indent) => {
      const text = wrap(base64(`${'A'.repeat(indent)}KEY=${KEY}\nHOME=/x\n`), 76);
      const masked = secrets.mask(text);
      expect(masked).toContain('[secret]');
      expect(holds(masked.replaceAll('\n', ''), base64(KEY).slice(0, -4))).toBe(false);
    },
  );

  it('masks a secret split at any position like an unsplit one', () => {
    for (const form of [KEY, base64(KEY), encodeURIComponent(KEY)]) {
      const text = `before ${form} after\n`;
      for (let cut = 0; cut <= text.length; cut += 1) {
        const filter = secrets.createFilter();
        expect(filter.pass(text.slice(0, cut)) + filter.pass(text.slice(cut)) + filter.end()).toBe(
          secrets.mask(text),
        );
      }
    }
  });

  it('masks adjacent secrets, and a secret after the start of another', () => {
    expect(secrets.mask(`${KEY}another-secret-of-the-desk`)).toBe('[secret][secret]');
    expect(secrets.mask(`another-secret-another-secret-of-the-desk.`)).toBe('another-secret-[secret].');
  });

  it('masks every text in a nested value', () => {
    expect(secrets.maskAll({ a: [`x ${KEY}`], b: { c: 1, d: KEY }, [KEY]: null })).toEqual({
      a: ['x [secret]'],
      b: { c: 1, d: '[secret]' },
      '[secret]': null,
    });
  });
});

describe('Texts passed on at once', () => {
  it('passes on a complete line even when it ends like the start of a secret', () => {
    const filter = secrets.createFilter();
    expect(filter.pass('all is well, says\n')).toBe('all is well, says\n');
    expect(filter.pass('nothing to do, sk\n')).toBe('nothing to do, sk\n');
    expect(filter.pass('without a line end, sk-ant-api')).toBe('without a line end, ');
    expect(filter.end()).toBe('sk-ant-api');
  });

  it('passes on everything without secrets', () => {
    const none = createSecrets([]);
    expect(none.mask('x')).toBe('x');
    expect(none.createFilter().pass('x')).toBe('x');
  });

  it('ignores short and empty values', () => {
    const short = createSecrets([
      { name: 'A', value: '' },
      { name: 'B', value: 'true' },
    ]);
    expect(short.mask('that is true')).toBe('that is true');
  });
});

describe('Secret search', () => {
  it('returns the name of the secret', () => {
    const search = secrets.createSearch();
    expect(search.look(`before ${base64(KEY)}`)).toBe('KEY');
    search.reset();
    expect(search.look(KEY.slice(0, 20))).toBeUndefined();
    expect(search.look(KEY.slice(20))).toBe('KEY');
    search.reset();
    expect(search.look(KEY.slice(0, 20))).toBeUndefined();
    search.reset();
    expect(search.look(KEY.slice(20))).toBeUndefined();
  });
});
