import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import { type BuildDesk, canIsolate } from './build-desk.js';
import { it as itOnSite } from './desk-test.js';
import type { FakeBuild } from './fake-service.js';

/** Secrets that the desk and the service give a coder must not appear in its log, result or commits. */

const OWNERS = 'owners-deploy-key-Zx9QwL2mN4pR6tV8yB1dF3hJ5kS0';
const PROVIDERS = 'sk-ant-api03-7wL2mN4pR6tV8yB1dF3hJ5kS0Zx9Q';
const SERVICES = 'given-by-the-service-8yB1dF3hJ5kS0Zx9QwL2mN4p';
const ALL = [OWNERS, PROVIDERS, SERVICES, 'mcp-token-of-this-build'];

/** All forms in which a secret could appear. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  ...[0, 1, 2].map((indent) =>
    Buffer.from('x'.repeat(indent) + secret)
      .toString('base64')
      .slice(4, -4),
  ),
];
const leaksOf = (text: string): string[] =>
  ALL.flatMap(formsOf).filter((form) => text.replaceAll('\n', '').includes(form));

type Build = (script: string, fields?: Record<string, unknown>) => Promise<FakeBuild>;

const it = itOnSite.extend<{ desk: BuildDesk; build: Build }>({
  desk: async ({ makeDesk }, use) => use(await makeDesk(canIsolate ? {} : { isolation: 'none' })),
  build: async ({ service, repository, desk }, use) =>
    use(async (script, fields = {}) => {
      desk.setCoder(script);
      writeFileSync(
        desk.path('etc/guildhall/coder.env'),
        `DEPLOY_KEY=${OWNERS}\nDEPLOY_URL=https://shop.example/\n`,
      );
      desk.start({ ANTHROPIC_API_KEY: PROVIDERS });
      const one = service.queue(repository, { env: { SHOP_PASSWORD: SERVICES }, ...fields });
      await until(() => desk.isDone(one.id));
      expect(service.faults).toEqual([]);
      return one;
    }),
});

describe.concurrent('Secrets of a coder', () => {
  it('masks secrets in the log: plain, base64 at any alignment and across lines, URL encoded, and split between writes', async ({
    build,
  }) => {
    const one = await build(`
      env | sort
      for s in "$DEPLOY_KEY" "$ANTHROPIC_API_KEY" "$SHOP_PASSWORD" "$GUILDHALL_MCP_TOKEN"; do
        for before in '' x xy; do printf '%s%s' "$before" "$s" | base64 -w0; echo; done
        printf '%s' "$s" | od -An -tx1 | tr -d ' \\n' | sed 's/../%&/g' >/dev/null
        node -e 'console.log(encodeURIComponent(process.argv[1]))' "$s"
        printf 'half %s' "\${s:0:20}"; sleep 0.3; echo "\${s:20} whole"
      done
      env | sort | base64; env | base64 -w 40`);
    const log = one.parts.join('');
    expect(leaksOf(log)).toEqual([]);
    expect(log).toContain('DEPLOY_KEY=[secret]\n');
    expect(log).toContain('half [secret] whole\n');
    // Values that are not secret remain readable.
    expect(log).toContain('DEPLOY_URL=https://shop.example/\n');
    expect(one.finish).toEqual({ outcome: 'succeeded' });
  });

  it('masks secrets in the result and the reason, also where the text is truncated', async ({ build }) => {
    const one = await build(`
      node -e '
        const secret = process.env.DEPLOY_KEY;
        const result = "x".repeat(9970) + secret;
        const reason = secret + " " + Buffer.from("y" + secret).toString("base64");
        require("fs").writeFileSync(process.env.GUILDHALL_RESULT, JSON.stringify({ outcome: "failed", reason, result }));
      '`);
    expect(leaksOf(JSON.stringify(one.finish))).toEqual([]);
    expect(one.finish).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/^\[secret\] /) });
    expect(String(one.finish?.['result'])).not.toContain(OWNERS.slice(0, 12));
  });

  it.for<[string, string, string | RegExp]>([
    ['in a file', 'printf "a\\nb\\nkey: %s\\n" "$DEPLOY_KEY" > conf.yml', 'DEPLOY_KEY, in conf.yml, line 3'],
    [
      'in base64',
      'mkdir d; env | sort | base64 > d/env.b64',
      /(DEPLOY_KEY|ANTHROPIC_API_KEY|SHOP_PASSWORD|GUILDHALL_MCP_TOKEN), in d\/env.b64, line \d+/,
    ],
    [
      'in a commit that a later commit reverts',
      'echo "$SHOP_PASSWORD" > p; git add p; git commit -qm one; git rm -q p; git commit -qm two; echo x > x',
      'SHOP_PASSWORD, in p, line 1',
    ],
    [
      'in a file that is marked as binary',
      'echo "* -diff" > .gitattributes; printf "\\0\\0\\n$ANTHROPIC_API_KEY" > bin',
      'ANTHROPIC_API_KEY, in bin, line 2',
    ],
    [
      'in a message',
      'echo x > x; git add x; git commit -qm "Use $GUILDHALL_MCP_TOKEN"',
      /GUILDHALL_MCP_TOKEN, in the message of commit [0-9a-f]{12}/,
    ],
    ['in the name of a file', 'echo x > "a-$DEPLOY_KEY"', /DEPLOY_KEY, in a name of commit [0-9a-f]{12}/],
    [
      'hidden by settings of the repository',
      `git config diff.external true; git config diff.noprefix true; git config core.bigFileThreshold 1; git config log.showRoot false
       echo "* diff=none" > .gitattributes; git config diff.none.textconv true; git config diff.none.command true
       echo "$DEPLOY_KEY" > s.txt`,
      'DEPLOY_KEY, in s.txt, line 1',
    ],
  ])('keeps the commits on the desk when a secret is %s', async ([, script, where], { desk, build }) => {
    const one = await build(script);
    const reason = String(one.finish?.['reason']);
    expect(one.finish).toMatchObject({ outcome: 'failed' });
    expect(reason).toMatch(where);
    expect(reason).toMatch(/^The commits could not be taken: they hold a secret of this desk, /);
    expect(leaksOf(reason)).toEqual([]);
    expect([one.commits, one.head]).toEqual([0, null]);
    // The checkout may be the only copy of the work.
    expect(JSON.parse(readFileSync(desk.spool(one.id, 'done.json'), 'utf8'))).toMatchObject({
      commits: 'refused',
    });
  });

  it('allows secrets in commits if the policy permits it, or if they were in the repository before', async ({
    service,
    repository,
    build,
    desk,
  }) => {
    const one = await build('echo "$DEPLOY_KEY" > conf', { allow_secrets: true });
    expect(one.finish).toEqual({ outcome: 'succeeded' });
    expect(one.commits).toBe(1);
    repository.save({ 'known.txt': `${OWNERS}\n\nend\n` });
    desk.setCoder('echo more >> known.txt');
    const other = service.queue(repository, { env: {} });
    await until(() => desk.isDone(other.id));
    expect(other.finish).toEqual({ outcome: 'succeeded' });
  });
});

describe.skipIf(!canIsolate)('Login copied to a coder', () => {
  itOnSite(
    'is masked in log, result and conversation, also where a line is made shorter',
    async ({ service, repository, makeDesk }) => {
      const desk = await makeDesk({ runtime: 'claude_code', stubs: { claude: '#!/bin/sh\n' } });
      chmodSync(desk.path('stubs'), 0o755);
      const accessToken = `sk-ant-oat01-${'Zx9QwL2mN4'.repeat(8)}`;
      const login = { claudeAiOauth: { accessToken, refreshToken: 'sk-ant-ort01-r', expiresAt: 1 } };
      mkdirSync(desk.path('home/.claude'));
      writeFileSync(desk.path('home/.claude/.credentials.json'), JSON.stringify(login));
      writeFileSync(
        desk.path('stubs/claude'),
        `#!/bin/sh
cat >/dev/null
exec node -e '
  const { accessToken } = JSON.parse(require("fs").readFileSync(process.env.CLAUDE_CONFIG_DIR + "/.credentials.json", "utf8")).claudeAiOauth;
  const say = (event) => console.log(JSON.stringify(event));
  say({ type: "assistant", message: { content: [{ type: "text", text: "x".repeat(3950) + accessToken }] } });
  say({ type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: { command: "y".repeat(250) + accessToken } }] } });
  say({ type: "result", subtype: "success", is_error: false, result: "token " + accessToken, num_turns: 1 });
'`,
      );
      desk.start();
      const one = service.queue(repository, { coder: 'claude' });
      await until(() => desk.isDone(one.id));
      expect(one.finish).toMatchObject({ outcome: 'succeeded', result: 'token [secret]' });
      expect(JSON.stringify([one.finish, one.parts])).not.toContain(accessToken.slice(0, 20));
    },
  );
});
