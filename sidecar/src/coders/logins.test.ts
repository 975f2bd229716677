import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lendLogin, readBorrowed, readLogin, returnLogin } from './logins.js';

let folder: string;
let owner: string;
let build: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guildhall-logins-'));
  owner = join(folder, 'owner');
  build = join(folder, 'build');
  mkdirSync(build);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(home: string, name: string, content: object): void {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), JSON.stringify(content), { mode: 0o600 });
}
const read = (home: string, name: string) => JSON.parse(readFileSync(join(home, name), 'utf8'));

/** Returns the login from the build's home to the owner. */
const bringHome = (runtime: string, now = new Date('2026-01-03T00:00:00Z')) => {
  const lent = read(owner, runtime === 'codex' ? '.codex/auth.json' : '.claude/.credentials.json');
  returnLogin({
    runtime,
    ownerHome: owner,
    lent: JSON.stringify(lent),
    borrowed: readBorrowed(runtime, build, null),
    now,
  });
};

const claude = (expiresAt: unknown) => ({ claudeAiOauth: { accessToken: `a${expiresAt}`, expiresAt } });
const codex = (last_refresh: unknown) => ({ tokens: { refresh_token: `r${last_refresh}` }, last_refresh });

describe.each([
  ['claude_code', '.claude/.credentials.json', claude, 1, 2],
  ['codex', '.codex/auth.json', codex, '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
] as const)('Login of %s', (runtime, file, login, older, newer) => {
  it("is copied to the build and readable only by the build's user", () => {
    write(owner, file, login(older as never));
    lendLogin(runtime, readLogin(runtime, owner), build, null);
    expect(read(build, file)).toEqual(login(older as never));
    expect(statSync(join(build, file)).mode & 0o777).toBe(0o600);
  });

  it("replaces the owner's login when the build renewed it, and only then", () => {
    write(owner, file, login(older as never));
    write(build, file, login(newer as never));
    bringHome(runtime);
    expect(read(owner, file)).toEqual(login(newer as never));
    expect(statSync(join(owner, file)).mode & 0o777).toBe(0o600);
    write(owner, file, login(newer as never));
    write(build, file, login(older as never));
    bringHome(runtime);
    expect(read(owner, file)).toEqual(login(newer as never));
  });

  it('is not returned when the owner logged in again meanwhile', () => {
    write(owner, file, login(older as never));
    const lent = readLogin(runtime, owner);
    lendLogin(runtime, lent, build, null);
    const own = { ...login(older as never), mine: true };
    write(owner, file, own);
    write(build, file, login(newer as never));
    returnLogin({
      runtime,
      ownerHome: owner,
      lent,
      borrowed: readBorrowed(runtime, build, null),
      now: new Date(),
    });
    expect(read(owner, file)).toEqual(own);
  });

  it('keeps the five logins before the current one as backups', () => {
    write(owner, file, login(older as never));
    for (let turn = 0; turn < 7; turn += 1) {
      write(owner, file, login(older as never));
      write(build, file, login(newer as never));
      bringHome(runtime, new Date(Date.parse('2026-01-03T00:00:00Z') + turn));
    }
    expect(readdirSync(dirname(join(owner, file)))).toHaveLength(6);
  });

  it.each([
    ['nothing', () => {}],
    ['no login', () => write(build, file, { else: true })],
    ['invalid JSON', () => write(build, file, [])],
    [
      'a link to somewhere else',
      () => {
        write(folder, 'elsewhere', login(newer as never));
        mkdirSync(dirname(join(build, file)), { recursive: true });
        symlinkSync(join(folder, 'elsewhere'), join(build, file));
      },
    ],
  ])('is not replaced by %s', (_what, put) => {
    write(owner, file, login(older as never));
    put();
    bringHome(runtime);
    expect(read(owner, file)).toEqual(login(older as never));
  });

  it('is not created when the owner has none', () => {
    const lent = readLogin(runtime, owner);
    lendLogin(runtime, lent, build, null);
    write(build, file, login(newer as never));
    returnLogin({
      runtime,
      ownerHome: owner,
      lent,
      borrowed: readBorrowed(runtime, build, null),
      now: new Date(),
    });
    expect(() => read(owner, file)).toThrow();
  });
});
