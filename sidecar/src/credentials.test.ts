import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCredentials } from './credentials.js';

const now = new Date('2026-03-01T12:00:00Z');
const past = now.getTime() - 1000;
const future = now.getTime() + 1000;
const token = (exp: number) => `x.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.x`;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'guildhall-home-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(name: string, content: unknown): void {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), typeof content === 'string' ? content : JSON.stringify(content));
}
const stateOf = (runtime: string) =>
  readCredentials(home, now, () => false).find((credential) => credential.runtime === runtime)?.state;

describe('Logins of the runtimes', () => {
  it('leaves out a runtime without a login', () => {
    expect(readCredentials(home, now, () => false)).toEqual([]);
  });

  it.each([
    ['a renewable login', { claudeAiOauth: { expiresAt: past, refreshToken: 'r' } }, 'ok'],
    ['a valid login', { claudeAiOauth: { expiresAt: future } }, 'ok'],
    ['an expired login', { claudeAiOauth: { expiresAt: past } }, 'expired'],
    [
      'an expired refresh token',
      { claudeAiOauth: { expiresAt: past, refreshToken: 'r', refreshTokenExpiresAt: past } },
      'expired',
    ],
    ['an empty file', {}, 'expired'],
    ['invalid JSON', 'broken', 'expired'],
    ['a list', [], 'expired'],
  ])('claude_code: %s', (_what, content, state) => {
    write('.claude/.credentials.json', content);
    expect(stateOf('claude_code')).toBe(state);
  });

  it.each([
    ['a key', { OPENAI_API_KEY: 'k' }, 'ok'],
    ['a renewable login', { tokens: { refresh_token: 'r' } }, 'ok'],
    ['a valid login', { tokens: { access_token: token(future / 1000) } }, 'ok'],
    ['an expired login', { tokens: { access_token: token(past / 1000) } }, 'expired'],
    ['an invalid token', { tokens: { access_token: 'x' } }, 'expired'],
    ['an empty object', { OPENAI_API_KEY: null }, 'expired'],
  ])('codex: %s', (_what, content, state) => {
    write('.codex/auth.json', content);
    expect(stateOf('codex')).toBe(state);
  });

  it('reports when it checked', () => {
    write('.codex/auth.json', { OPENAI_API_KEY: 'k' });
    expect(readCredentials(home, now, () => false)[0]?.checked_at).toBe('2026-03-01T12:00:00.000Z');
  });
});
