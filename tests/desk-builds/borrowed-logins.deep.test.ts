import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import { type BuildDesk, canIsolate } from './build-desk.js';
import { it as itOnSite } from './desk-test.js';

/**
 * A coder gets a copy of the desk owner's login, and root copies a renewed login back: attempts to abuse
 * that.
 */

if (!canIsolate)
  console.warn('SKIPPED: borrowed logins are tried in a cell, which needs root, unshare and setpriv');

const HOUR = 60 * 60_000;
const SAID = '{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1}';
const CLAUDE = '.claude/.credentials.json';
const CODEX = '.codex/auth.json';

const claudeLogin = (word: string, expiresAt: number, more: object = {}) => ({
  claudeAiOauth: {
    accessToken: `sk-ant-oat01-${word}-${'a'.repeat(40)}`,
    refreshToken: `sk-ant-ort01-${word}-${'r'.repeat(40)}`,
    expiresAt,
    scopes: ['user:inference', 'user:profile'],
    subscriptionType: 'max',
    ...more,
  },
});

const token = (claims: object) =>
  ['{"alg":"none"}', JSON.stringify(claims), 'sig']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
const codexLogin = (word: string, refreshed: number, account: string, subject = 'user-1') => ({
  OPENAI_API_KEY: null,
  tokens: {
    id_token: token({ sub: subject, 'https://api.openai.com/auth': { chatgpt_account_id: account }, word }),
    access_token: token({ sub: subject, exp: refreshed / 1000 + 864_000, word }),
    refresh_token: `rt_${word}`,
    account_id: account,
  },
  last_refresh: new Date(refreshed).toISOString(),
});

type Borrow = (coder: string, own: object) => Promise<void>;

describe.skipIf(!canIsolate)('Login copied to a build', { concurrent: true }, () => {
  const makeIt = (runtime: string, name: string, file: string, said: string) =>
    itOnSite.extend<{ desk: BuildDesk; borrow: Borrow; own: (path?: string) => unknown }>({
      desk: async ({ makeDesk }, use) => {
        const desk = await makeDesk({ runtime, stubs: { [name]: '#!/bin/sh\n' } });
        chmodSync(desk.path('stubs'), 0o755);
        await use(desk);
      },
      borrow: async ({ service, repository, desk }, use) =>
        use(async (coder, own) => {
          mkdirSync(dirname(desk.path(`home/${file}`)), { recursive: true });
          writeFileSync(desk.path(`home/${file}`), JSON.stringify(own), { mode: 0o600 });
          writeFileSync(desk.path(`stubs/${name}`), `#!/bin/sh\ncat >/dev/null\n${coder}\necho '${said}'\n`);
          desk.start();
          const one = service.queue(repository, { coder: name });
          await until(() => desk.isDone(one.id));
          expect(one.finish).toMatchObject({ outcome: 'succeeded' });
        }),
      own: async ({ desk }, use) =>
        use((path = file) => JSON.parse(readFileSync(desk.path(`home/${path}`), 'utf8'))),
    });
  const it = makeIt('claude_code', 'claude', CLAUDE, SAID);
  const itCodex = makeIt('codex', 'codex', CODEX, '{"type":"turn.completed","usage":{"input_tokens":1}}');

  const leave = (file: string, login: object) => `echo '${JSON.stringify(login)}' > $HOME/${file}`;
  const kept = (desk: BuildDesk, file: string) =>
    readdirSync(dirname(desk.path(`home/${file}`))).filter((name) => !file.endsWith(name));

  it("does not read another user's login through a folder replaced by a link", async ({
    desk,
    borrow,
    own,
  }) => {
    const mine = claudeLogin('mine', Date.now() + HOUR);
    const other = claudeLogin('others', Date.now() + 2 * HOUR);
    mkdirSync(desk.path('other'), { mode: 0o700 });
    writeFileSync(desk.path('other/.credentials.json'), JSON.stringify(other), { mode: 0o600 });
    await borrow(`rm -rf $HOME/.claude && ln -s ${desk.path('other')} $HOME/.claude`, mine);
    expect(own()).toEqual(mine);
    expect(kept(desk, CLAUDE)).toEqual([]);
  });

  it('copies a renewed login back, and keeps the previous one', async ({ desk, borrow, own }) => {
    const mine = claudeLogin('mine', Date.now() + HOUR);
    const renewed = claudeLogin('renewed', Date.now() + 8 * HOUR);
    await borrow(leave(CLAUDE, renewed), mine);
    expect(own()).toEqual(renewed);
    const [before, ...more] = kept(desk, CLAUDE);
    expect(more).toEqual([]);
    expect(own(`.claude/${before}`)).toEqual(mine);
    expect(statSync(desk.path(`home/.claude/${before}`)).mode & 0o777).toBe(0o600);
  });

  it.for<[string, (mine: ReturnType<typeof claudeLogin>) => object]>([
    ['that never expires', () => claudeLogin('evil', Date.now() + 365 * 24 * HOUR)],
    [
      'of another subscription',
      () => claudeLogin('evil', Date.now() + 8 * HOUR, { subscriptionType: 'free' }),
    ],
    ['with other rights', () => claudeLogin('evil', Date.now() + 8 * HOUR, { scopes: ['all'] })],
    ['with an additional field', () => claudeLogin('evil', Date.now() + 8 * HOUR, { proxy: 'http://evil' })],
    [
      'with an additional top-level field',
      () => ({ ...claudeLogin('evil', Date.now() + 8 * HOUR), mcpOAuth: { evil: true } }),
    ],
    [
      'without its refresh token',
      () => ({
        claudeAiOauth: { ...claudeLogin('e', Date.now() + 8 * HOUR).claudeAiOauth, refreshToken: 7 },
      }),
    ],
  ])("does not replace the owner's login by a login %s", async ([, forge], { desk, borrow, own }) => {
    const mine = claudeLogin('mine', Date.now() + HOUR);
    await borrow(leave(CLAUDE, forge(mine)), mine);
    expect(own()).toEqual(mine);
    expect(kept(desk, CLAUDE)).toEqual([]);
  });

  itCodex('of Codex is copied back if the account is the same', async ({ desk, borrow, own }) => {
    const mine = codexLogin('mine', Date.now() - 9 * 24 * HOUR, 'account-1');
    const renewed = codexLogin('renewed', Date.now(), 'account-1');
    await borrow(leave(CODEX, renewed), mine);
    expect(own()).toEqual(renewed);
    expect(own(`.codex/${kept(desk, CODEX)[0]}`)).toEqual(mine);
  });

  itCodex.for<[string, object]>([
    ['of another account', codexLogin('evil', Date.now(), 'account-2')],
    ['of another person', codexLogin('evil', Date.now(), 'account-1', 'user-2')],
    ['from the future', codexLogin('evil', Date.now() + 365 * 24 * HOUR, 'account-1')],
    ['with a key', { ...codexLogin('evil', Date.now(), 'account-1'), OPENAI_API_KEY: 'sk-evil' }],
  ])('of Codex is not replaced by one %s', async ([, forged], { borrow, own }) => {
    const mine = codexLogin('mine', Date.now() - 9 * 24 * HOUR, 'account-1');
    await borrow(leave(CODEX, forged), mine);
    expect(own()).toEqual(mine);
  });
});
