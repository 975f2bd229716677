import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { SIDECAR_VERSION } from '../../sidecar/src/protocol.js';
import { DEMO_CODER } from '../../src/demo/desk/demo-desk.js';
import { until } from '../desk-end-to-end/real-desk.js';
import { deeply, isDeep, usually } from '../support/deep.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type BuildDesk, canIsolate, findProcesses } from './build-desk.js';
import { it as itOnSite } from './desk-test.js';
import type { FakeBuild } from './fake-service.js';

if (!canIsolate) console.warn('SKIPPED: namespaces for builds need root, unshare and setpriv');

const ended = (build: FakeBuild) => until(() => build.finish ?? undefined, 500);
const logOf = (build: FakeBuild) => build.parts.join('');
const show = (build: FakeBuild, path: string) => build.repository.git('show', `${build.branch}:${path}`);

const MODES = [
  ...(canIsolate ? [['as on a real desk', undefined] as const] : []),
  ['without root', 'none' as const] as const,
];

type Build = (script: string, fields?: Record<string, unknown>) => Promise<FakeBuild>;

const modes = isDeep ? MODES : MODES.slice(0, 1);

describe.concurrent.each(modes)('Build on a desk, %s', (_name, isolation) => {
  const tried = itOnSite.extend<{ desk: BuildDesk; build: Build }>({
    desk: async ({ makeDesk }, use) => use(await makeDesk({ isolation })),
    build: async ({ service, repository, desk }, use) =>
      use(async (script, fields = {}) => {
        desk.setCoder(script);
        desk.start();
        const one = service.queue(repository, fields);
        await ended(one);
        await until(() => desk.isDone(one.id));
        expect(service.faults).toEqual([]);
        return one;
      }),
  });

  /** The usual run covers the default isolation, and the deep run the other one. */
  const it = isolation === undefined ? usually(tried) : tried;
  const itDeeply = deeply(tried);

  it('runs in its checkout with the brief on stdin, and reports log, commits and outcome', async ({
    repository,
    build,
  }) => {
    const one = await build(`
      cat > from-stdin.md; cmp from-stdin.md "$GUILDHALL_BRIEF" && echo "the brief is the file"
      git log -1 --format=%H; git symbolic-ref HEAD; git status --short
      echo mended > roof.txt; git commit -qam 'Mend it'; echo more >> docs/readme.md; echo new > new.txt`);
    expect(one.finish).toEqual({ outcome: 'succeeded' });
    expect(logOf(one)).toBe(
      `the brief is the file\n${one.baseSha}\nrefs/heads/${one.branch}\n?? from-stdin.md\n`,
    );
    expect(
      repository.git('log', '--format=%s|%an <%ae>', `${one.baseSha}..${one.branch}`).split('\n'),
    ).toEqual(['GH-7: Mend the roof|guildhall <noreply@127.0.0.1>', 'Mend it|claude <noreply@127.0.0.1>']);
    expect(show(one, 'roof.txt')).toBe('mended');
    expect(show(one, 'new.txt')).toBe('new');
    expect([one.starts, one.commits, one.finishes]).toEqual([1, 1, 1]);
  });

  itDeeply('logs stdout and stderr of the coder in the order of its output', async ({ build }) => {
    const one = await build('for i in $(seq 1 100); do echo "said $i"; echo "complained $i" >&2; done');
    const expected = Array.from({ length: 100 }, (_, i) => `said ${i + 1}\ncomplained ${i + 1}\n`).join('');
    expect(logOf(one)).toBe(expected);
  });

  it("uses the desk owner's git identity, or else the service's", async ({
    desk,
    service,
    repository,
    build,
  }) => {
    const committer = { name: 'Acme Bot', email: 'bot@acme.example' };
    const authors = ({ baseSha, branch }: { baseSha: string; branch: string }) =>
      repository.git('log', '--format=%an <%ae> %cn <%ce>', `${baseSha}..${branch}`).split('\n');
    const commits = 'echo one >> roof.txt; git commit -qam One; echo two >> roof.txt';
    expect(authors(await build(commits, { committer }))).toEqual([
      'Acme Bot <bot@acme.example> Acme Bot <bot@acme.example>',
      'claude <bot@acme.example> claude <bot@acme.example>',
    ]);
    const next = async (script: string) => {
      desk.setCoder(script);
      const one = service.queue(repository, { committer });
      await ended(one);
      await until(() => desk.isDone(one.id));
      return authors(one)[0];
    };
    const file = desk.path('etc/guildhall/commit-identity');
    writeFileSync(file, 'Our "desk" <desk@acme.example>\n');
    expect(await next('echo three >> roof.txt')).toMatch(/^Acme Bot /);
    writeFileSync(file, 'Our desk <desk@acme.example>\n');
    expect(await next('echo four >> roof.txt')).toMatch(/^Our desk <desk@acme.example> Our desk /);
  });

  it('gives the coder only the environment that the contract names', async ({ desk, build }) => {
    const one = await build(`env | sort | grep -v '^_=\\|^PWD=\\|^SHLVL=\\|^OLDPWD='`, {
      settings: { version: 'v', model: 'm-1', effort: 'high', limits: { max_turns: 3 } },
      env: { LLM_MODE: 'x', LD_PRELOAD: '/evil.so', PATH: '/evil', 'BAD NAME': 'y', NODE_OPTIONS: '--evil' },
    });
    const names = Object.fromEntries(
      logOf(one)
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    expect(names).toMatchObject({
      GUILDHALL_BUILD_ID: one.id,
      GUILDHALL_CODER: 'claude',
      GUILDHALL_MODEL: 'm-1',
      GUILDHALL_EFFORT: 'high',
      GUILDHALL_BRIEF: desk.area(one.id, 'brief.md'),
      GUILDHALL_MCP_URL: 'http://127.0.0.1:1/mcp',
      GUILDHALL_MCP_TOKEN: '[secret]',
      GUILDHALL_RESULT: desk.area(one.id, 'out/result.json'),
      LLM_MODE: 'x',
    });
    expect(Object.keys(names).sort()).toEqual(
      [
        ...[
          'GUILDHALL_BRIEF',
          'GUILDHALL_BUILD_ID',
          'GUILDHALL_CODER',
          'GUILDHALL_EFFORT',
          'GUILDHALL_MCP_TOKEN',
        ],
        ...[
          'GUILDHALL_MCP_URL',
          'GUILDHALL_MODEL',
          'GUILDHALL_RESULT',
          'GUILDHALL_USAGE',
          'HOME',
          'LLM_MODE',
          'LOGNAME',
          'PATH',
          'SHELL',
        ],
        ...['TMPDIR', 'USER'],
      ].sort(),
    );
    expect(names['PATH']).not.toContain('/evil');
  });

  const judged: [string, object][] = [
    ['exit 0', { outcome: 'succeeded' }],
    ['exit 3', { outcome: 'failed', reason: 'The coder ended with exit code 3' }],
    [
      `echo '{"outcome":"failed","reason":"no roof","result":"sorry","usage":{"tokens_in":5,"tokens_out":6,"cost_usd":0.5}}' > "$GUILDHALL_RESULT"; exit 0`,
      {
        outcome: 'failed',
        reason: 'no roof',
        result: 'sorry',
        usage: { tokens_in: 5, tokens_out: 6, cost_usd: 0.5 },
      },
    ],
    [`echo '{"outcome":"succeeded"}' > "$GUILDHALL_RESULT"; exit 9`, { outcome: 'succeeded' }],
    [
      'echo nonsense > "$GUILDHALL_RESULT"',
      { outcome: 'failed', reason: 'The result file of the coder cannot be read' },
    ],
    [
      'ln -s /etc/passwd "$GUILDHALL_RESULT"',
      { outcome: 'failed', reason: 'The result file of the coder cannot be read' },
    ],
    [
      'mkfifo "$GUILDHALL_RESULT"',
      { outcome: 'failed', reason: 'The result file of the coder cannot be read' },
    ],
  ];
  const judge = async ([script, finish]: [string, object], { build }: { build: Build }) => {
    expect((await build(script)).finish).toEqual(finish);
  };
  it.for(judged.slice(0, 3))('takes its outcome from the result file, or else from the exit code: %s', judge);
  itDeeply.for(judged.slice(3))('is judged by the result file: %s', judge);

  itDeeply(
    'logs every line once and in order, including binary data and broken characters',
    async ({ build }) => {
      const one = await build(`
      for i in $(seq 1 20000); do echo "line $i ☃"; done
      printf 'zero \\000 byte, broken \\377\\376, and no line end'`);
      const lines = logOf(one).trimEnd().split('\n');
      expect(lines.slice(0, 20_000)).toEqual(Array.from({ length: 20_000 }, (_, i) => `line ${i + 1} ☃`));
      expect(lines.slice(20_000)).toEqual(['zero \ufffd byte, broken \ufffd\ufffd, and no line end']);
    },
  );

  it('never writes tokens to the log, not even in parts', async ({ build }) => {
    const one = await build(
      `printf '%s' "\${GUILDHALL_MCP_TOKEN:0:9}"; sleep 0.4; echo "\${GUILDHALL_MCP_TOKEN:9} $GUILDHALL_MCP_TOKEN"`,
    );
    expect(logOf(one)).toBe('[secret] [secret]\n');
  });

  itDeeply(
    'limits the log of a coder that writes too much, and states what is missing',
    async ({ build }) => {
      const one = await build(`head -c 150000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo the very end`);
      const log = logOf(one);
      expect(log.length).toBeLessThan(70_000_000);
      expect(log).toMatch(/\n\[\d+ characters of output left out\]\n/);
      expect(log.endsWith('the very end\n')).toBe(true);
    },
  );

  itDeeply(
    'submits submodules, links, and repositories created inside the checkout',
    async ({ repository, build }) => {
      const module = new ScratchRepository();
      const pinned = module.save({ a: 'a' });
      repository.write({ '.gitmodules': '[submodule "m"]\n\tpath = m\n\turl = https://x.invalid/m\n' });
      repository.git('update-index', '--add', '--cacheinfo', `160000,${pinned},m`);
      repository.git('add', '.gitmodules');
      repository.git('commit', '--quiet', '-m', 'a submodule');
      module.dispose();
      const one = await build(`
      ls -A m | wc -l; ln -s /etc/passwd link; ln -s nowhere dangling
      mkdir inner && cd inner && git init -q . && echo deep > deep.txt && git add . && git -c user.name=x -c user.email=x@x commit -qm x
      mkdir ../empty-inner && cd ../empty-inner && git init -q . && echo y > y.txt`);
      expect(one.finish).toEqual({ outcome: 'succeeded' });
      expect(logOf(one)).toBe('0\n');
      const tree = repository.git('ls-tree', '-r', one.branch);
      expect(tree).toContain(`160000 commit ${pinned}\tm`);
      expect(tree).toMatch(/120000 blob \w+\tlink/);
      expect(show(one, 'inner/deep.txt')).toBe('deep');
      expect(show(one, 'empty-inner/y.txt')).toBe('y');
    },
  );

  it("runs hooks, filters and settings of the checkout only as the coder's user", async ({ desk, build }) => {
    const one = await build(`
      mkdir -p .git/hooks; printf '#!/bin/sh\\necho "hook as $(id -u)" >> "$TMPDIR/../out/ran"; exit 1\\n' > .git/hooks/pre-commit
      cp .git/hooks/pre-commit .git/hooks/post-commit; chmod +x .git/hooks/*
      git config core.hooksPath .git/hooks; git config commit.gpgsign true; git config core.fsmonitor "touch $TMPDIR/../out/monitor"
      echo x > x.txt`);
    expect(one.finish).toEqual({ outcome: 'succeeded' });
    expect(show(one, 'x.txt')).toBe('x');
    expect(existsSync(desk.area(one.id, 'out/ran'))).toBe(false);
    expect(existsSync(desk.area(one.id, 'out/monitor'))).toBe(false);
  });

  const left: [string, string][] = [
    ['on another branch', 'git checkout -qb other; echo x > x.txt; git add .; git commit -qm there'],
    ['on no branch', 'git checkout -q --detach; echo x > x.txt; git add .; git commit -qm there'],
    ['next to the base', 'git checkout -q --orphan fresh; echo x > x.txt; git add .; git commit -qm there'],
    ['with the base amended', 'echo x > x.txt; git add .; git commit -q --amend -m changed'],
    [
      'in the middle of a merge',
      'git branch o; echo x > x.txt; git add .; git commit -qm a; git checkout -q o; echo x > x.txt; git add .; git commit -qm b; git merge -q --no-commit - || :',
    ],
  ];
  const bringHome = async (
    [, script]: [string, string],
    { repository, build }: { repository: ScratchRepository; build: Build },
  ) => {
    const one = await build(script);
    expect(one.finish).toEqual({ outcome: 'succeeded' });
    expect(show(one, 'x.txt')).toBe('x');
    expect(repository.git('merge-base', one.baseSha, one.branch)).toBe(one.baseSha);
  };
  it.for(left.slice(0, 1))('submits work that was left %s', bringHome);
  itDeeply.for(left.slice(1))('submits work that was left %s', bringHome);

  itDeeply('fails when the repository was destroyed', async ({ build }) => {
    const one = await build('rm -rf .git/objects');
    expect(one.finish).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('commits could not be taken'),
    });
  });

  itDeeply('fails when the commits are too large to send', async ({ build }) => {
    const two = await build('head -c 70000000 /dev/urandom > big');
    expect(two.finish).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('larger than 64 MiB'),
    });
    expect(two.commits).toBe(0);
  });

  itDeeply('sends no commits when there are none', async ({ build }) => {
    const one = await build('true');
    expect([one.commits, one.head, one.finish]).toEqual([0, null, { outcome: 'succeeded' }]);
  });

  itDeeply(
    "fails with the service's message when the service rejects the commits",
    async ({ service, repository, desk }) => {
      desk.setCoder('echo x > x.txt');
      const one = service.queue(repository);
      one.refuse.commits = { status: 422, body: { detail: 'refs beside it' } };
      desk.start();
      expect(await ended(one)).toEqual({
        outcome: 'failed',
        reason: 'The service did not take the commits: refs beside it',
      });
    },
  );

  itDeeply('leaves none of many background processes behind when the coder ends', async ({ build }) => {
    const one = await build(`
      for i in $(seq 1 200); do (setsid bash -c "exec -a straggler-$GUILDHALL_BUILD_ID sleep 1000" &) ; done
      echo started`);
    expect(one.finish).toEqual({ outcome: 'succeeded' });
    expect(findProcesses(`straggler-${one.id}`)).toEqual([]);
  });

  it('gets SIGTERM at its time limit', async ({ build }) => {
    const one = await build(
      `trap 'echo asked to end; echo saved > saved.txt; exit 0' TERM; while :; do sleep 0.1; done`,
      {
        wall_minutes: 0.03,
      },
    );
    expect(one.finish).toEqual({
      outcome: 'timed_out',
      reason: 'The time limit of 0.03 minutes was reached',
    });
    expect(logOf(one)).toContain('asked to end\n');
    expect(show(one, 'saved.txt')).toBe('saved');
  });

  it('leaves no secrets on the desk', async ({ desk, build }) => {
    const one = await build('echo x > "$HOME/x"; echo y > "$TMPDIR/y"');
    for (const name of ['home', 'tmp', 'mcp.json'])
      expect(existsSync(desk.area(one.id, name)), name).toBe(false);
    // The build is marked as done first, and these files are deleted afterwards.
    for (const name of ['start.json', 'order.json', 'log'])
      await until(() => !existsSync(desk.spool(one.id, name)));
    expect(existsSync(desk.area(one.id, 'checkout/roof.txt'))).toBe(true);
    if (!isolation) expect(statSync(desk.area(one.id)).mode & 0o777).toBe(0o700);
  });

  it('shares objects with the next build of the same code, which fetches nothing', async ({
    service,
    repository,
    desk,
  }) => {
    desk.setCoder(
      'git log --oneline | wc -l; git fsck 2>&1 | grep -v dangling || :; echo $GUILDHALL_BUILD_ID > x.txt',
    );
    desk.start();
    const one = service.queue(repository);
    await ended(one);
    const two = service.queue(repository);
    await ended(two);
    repository.save({ later: 'x' });
    const three = service.queue(repository);
    await ended(three);
    expect([one, two, three].map(logOf)).toEqual(['1\n', '1\n', '2\n']);
    const fetched = service.calls.filter(({ step }) => step === 'base').map(({ buildId }) => buildId);
    expect(fetched).toEqual([one.id, three.id]);
    expect(show(three, 'x.txt')).toBe(three.id);
  });
});

usually(describe)('Demo desk', () => {
  itOnSite(
    'builds with a coder that makes a small real change',
    async ({ service, repository, makeDesk }) => {
      const desk = await makeDesk({ isolation: 'none' });
      desk.setCoder(DEMO_CODER.replace(/^#!.*\n/, ''));
      desk.start();
      const one = service.queue(repository);
      expect(await ended(one)).toMatchObject({ outcome: 'succeeded', result: expect.any(String) });
      expect(repository.git('diff', '--stat', one.baseSha, one.branch)).toContain('1 file changed');
      expect(await desk.health()).toMatchObject({ isolation: 'none' });
    },
  );
});

type BuildInCell = (
  script: string,
  stubs?: Record<string, string>,
) => Promise<{ one: FakeBuild; desk: BuildDesk }>;

usually(describe.skipIf(!canIsolate))('Isolation of a build', { concurrent: true }, () => {
  const it = itOnSite.extend<{ build: BuildInCell }>({
    build: async ({ service, repository, makeDesk }, use) =>
      use(async (script, stubs = {}) => {
        const desk = await makeDesk({ stubs });
        desk.setCoder(script);
        desk.start();
        const one = service.queue(repository);
        await ended(one);
        return { one, desk };
      }),
  });

  it("gives a build its own user and processes, no way to gain privileges, and only the executable of the desk's settings", async ({
    build,
  }) => {
    const { one, desk } = await build(`
      id -u; id -G; whoami; grep NoNewPrivs /proc/self/status; grep -E 'Cap(Prm|Eff|Bnd|Inh)' /proc/self/status
      ls -A "${'$'}{0%/coder}"; cat "${'$'}{0%/coder}/desk.json"; ls /proc | grep -c '^[0-9]*$'
      echo x > /etc/guildhall-was-here; echo x > "${'$'}{0%/coder}/x"; ls ${'$'}{GUILDHALL_BRIEF%/checkouts/*}/work; kill -9 1; echo alive`);
    const lines = logOf(one).split('\n');
    expect(Number(lines[0])).toBeGreaterThanOrEqual(60_578);
    expect(lines.slice(0, 9)).toEqual([
      lines[0],
      lines[0],
      'guildhall-build',
      'NoNewPrivs:\t1',
      'CapInh:\t0000000000000000',
      'CapPrm:\t0000000000000000',
      'CapEff:\t0000000000000000',
      'CapBnd:\t0000000000000000',
      'coder',
    ]);
    expect(lines[9]).toMatch(/desk.json: No such file/);
    expect(Number(lines[10])).toBeLessThan(10);
    expect(logOf(one).match(/denied|not permitted/gi)?.length).toBe(4);
    expect(lines.at(-2)).toBe('alive');
    expect(existsSync('/etc/guildhall-was-here')).toBe(false);
    expect(await desk.health()).toMatchObject({ isolation: 'namespace', version: SIDECAR_VERSION });
  });

  it('reports only user isolation if the kernel refuses namespaces, and keeps the other protections', async ({
    build,
  }) => {
    const { one, desk } = await build(
      `id -u; grep NoNewPrivs /proc/self/status; cat ${'$'}{GUILDHALL_BRIEF%/var/lib/*}/etc/guildhall/desk.json; echo x > x.txt
      (setsid bash -c "exec -a straggler-$GUILDHALL_BUILD_ID sleep 1000" &)`,
      { unshare: '#!/bin/sh\nexit 1\n' },
    );
    expect(logOf(one).split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^6\d{4}$/),
      'NoNewPrivs:\t1',
      expect.stringMatching(/Permission denied/),
    ]);
    expect(one.finish).toEqual({ outcome: 'succeeded' });
    expect(show(one, 'x.txt')).toBe('x');
    expect(findProcesses(`straggler-${one.id}`)).toEqual([]);
    expect(await desk.health()).toMatchObject({ isolation: 'user' });
  });

  it("limits the processes of a build, and hides other builds' files", async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk({ slots: 2 });
    desk.setCoder(
      `ulimit -u; id -u; ls $(dirname "$(dirname "$GUILDHALL_BRIEF")") 2>&1 | head -1; cat "$(dirname "$GUILDHALL_BRIEF")"/../*/brief.md | wc -l; sleep 1`,
    );
    desk.start();
    const two = [service.queue(repository), service.queue(repository)];
    await Promise.all(two.map(ended));
    const logs = two.map((one) => logOf(one).split('\n'));
    expect(logs.map(([limit]) => limit)).toEqual(['4096', '4096']);
    expect(new Set(logs.map(([, uid]) => uid)).size).toBe(2);
    for (const log of logs) expect(log.join('\n')).toMatch(/denied/i);
  });

  it('uses a different user than builds of other desks on the machine', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const other = await makeDesk({});
    const desk = await makeDesk({});
    for (const one of [desk, other]) {
      one.setCoder('id -u; sleep 1');
      one.start();
    }
    const two = [service.queue(repository), service.queue(repository)];
    await Promise.all(two.map(ended));
    await other.remove();
    expect(two.map(({ finish }) => finish)).toEqual([{ outcome: 'succeeded' }, { outcome: 'succeeded' }]);
    expect(new Set(two.map(logOf)).size).toBe(2);
  });

  it('keeps the spool readable only by root, and the brief and tool configuration only by the build', async ({
    build,
  }) => {
    const { one, desk } = await build(
      'stat -c "%a %U" "$(dirname "$GUILDHALL_BRIEF")/mcp.json"; cat "$(dirname "$GUILDHALL_BRIEF")/mcp.json"',
    );
    expect(logOf(one)).toContain('600 guildhall-build\n');
    expect(logOf(one)).toContain(`"Authorization":"Bearer \${GUILDHALL_MCP_TOKEN}"`);
    expect(statSync(desk.path('var/lib/guildhall-sidecar/work')).mode & 0o077).toBe(0);
    expect(readFileSync('/etc/passwd', 'utf8')).not.toContain('guildhall-build');
  });
});
