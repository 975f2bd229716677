import { expect, it } from 'vitest';
import { createSecretBox, SecretNotOpened } from './secret-box.js';

const first = 'a first key of at least thirty-two characters';
const second = 'a second key of at least thirty-two characters';

it('a sealed secret opens again at its place and does not contain the plain text', () => {
  const box = createSecretBox([first]);
  const sealed = box.seal('the secret — ünïcode', 'deploy-key:1');
  expect(sealed).toMatch(/^v1\.[0-9a-f]{12}\.[\w-]+$/);
  expect(Buffer.from(sealed.split('.')[2]!, 'base64url').toString('latin1')).not.toContain('secret');
  expect(box.open(sealed, 'deploy-key:1')).toBe('the secret — ünïcode');
  expect(box.seal('the secret — ünïcode', 'deploy-key:1')).not.toBe(sealed);
});

it('a sealed secret does not open at another place', () => {
  const box = createSecretBox([first]);
  expect(() => box.open(box.seal('x', 'deploy-key:1'), 'deploy-key:2')).toThrow(SecretNotOpened);
});

it('a sealed secret does not open when a bit was changed, and neither does other text', () => {
  const box = createSecretBox([first]);
  const [version, id, text] = box.seal('secret', 'here').split('.');
  const bytes = Buffer.from(text!, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const altered = Buffer.from(bytes);
    altered[at]! ^= 1;
    expect(() => box.open(`${version}.${id}.${altered.toString('base64url')}`, 'here')).toThrow(
      SecretNotOpened,
    );
  }
  for (const text of ['', 'secret', `v1.${id}.`, `v2.${id}.${bytes.toString('base64url')}`])
    expect(() => box.open(text, 'here')).toThrow(SecretNotOpened);
});

it('a new first key seals, and the older key still opens earlier secrets', () => {
  const old = createSecretBox([first]).seal('kept', 'here');
  const both = createSecretBox([second, first]);
  expect(both.open(old, 'here')).toBe('kept');
  expect(() => createSecretBox([first]).open(both.seal('new', 'here'), 'here')).toThrow(SecretNotOpened);
  expect(() => createSecretBox([second]).open(old, 'here')).toThrow(SecretNotOpened);
});
