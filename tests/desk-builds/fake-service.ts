import { execFileSync } from 'node:child_process';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScratchRepository } from '../support/scratch-repository.js';
import { answerChecks, type FakeCheckRun, newCheckRun } from './fake-checks.js';

/** A lost order expires with its claim and is sent again. */
const CLAIM_MS = 15_000;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A step of the protocol, named after the last part of its path. */
export type Step = 'work' | 'start' | 'base' | 'log' | 'usage' | 'commits' | 'finish' | 'checks';

export interface FakeBuild {
  id: string;
  claim: string;
  branch: string;
  baseSha: string;
  repository: ScratchRepository;
  fields: Record<string, unknown>;
  state: 'queued' | 'claimed' | 'running' | 'ended';
  claimedAt: number;
  starts: number;
  parts: string[];
  commits: number;
  head: string | null;
  finish: Record<string, unknown> | null;
  finishes: number;
  canceling: boolean;
  /** The reason for stopping the build, which the desk receives. */
  stopping: string | null;
  /** The reported usage, one entry per report. */
  usages: Record<string, unknown>[];
  /** Answers for all calls of a step, in place of the usual ones. */
  refuse: Partial<Record<Step, { status: number; body: object }>>;
  /** How many of the next calls of a step are answered with a proxy's page. */
  pages: Partial<Record<Step, { status: number; left: number }>>;
}

export interface Call {
  step: Step;
  buildId: string | null;
  body: Record<string, unknown>;
}

interface Asked {
  nonce: string;
  slots: number;
  coders: (string | { name: string; version: string | null })[];
  running: (string | { build_id: string; progress_at?: string; progress_percent?: number })[];
  wait_seconds: number;
}

/** The service as a desk sees it, which follows the contract and is stricter than the real service. */
export async function startFakeService() {
  const pat = `desk_${randomUUID()}`;
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-fake-service-'));
  const builds = new Map<string, FakeBuild>();
  const runs = new Map<string, FakeCheckRun>();
  const calls: Call[] = [];
  const faults: string[] = [];
  const waiting = new Set<() => void>();
  /** How often the connection of a step is cut, before or after the service processed it. */
  const cuts: { step: Step; when: 'before' | 'after' | 'halfway'; left: number }[] = [];
  let wrongProofs = 0;
  let knowsVersions = true;
  let longestWaitMs = Number.POSITIVE_INFINITY;

  const notify = () => {
    for (const wake of waiting) wake();
  };

  function takeCut(step: Step, when: 'before' | 'after' | 'halfway'): boolean {
    const cut = cuts.find((one) => one.step === step && one.when === when && one.left > 0);
    if (cut) cut.left -= 1;
    return cut !== undefined;
  }

  function ordersFor(request: Asked) {
    const named = request.running.map((said) => (typeof said === 'string' ? said : said.build_id));
    const coders = request.coders.map((said) => (typeof said === 'string' ? said : said.name));
    const orders: object[] = [];
    let slots = request.slots;
    for (const run of runs.values()) {
      if ((run.state === 'ended' || run.canceling) && request.running.includes(run.id))
        orders.push({ kind: 'cancel', build_id: run.id });
      if (run.state !== 'queued' || slots === 0) continue;
      run.state = 'claimed';
      slots -= 1;
      orders.push({ kind: 'check', build_id: run.id, claim: run.claim });
    }
    for (const build of builds.values()) {
      const isOver = build.state === 'ended' || build.canceling;
      if (isOver && named.includes(build.id)) orders.push({ kind: 'cancel', build_id: build.id });
      else if (build.stopping && named.includes(build.id))
        orders.push({ kind: 'stop', build_id: build.id, reason: build.stopping });
      const isLost = build.state === 'claimed' && performance.now() > build.claimedAt + CLAIM_MS;
      if ((build.state !== 'queued' && !isLost) || slots === 0) continue;
      if (!coders.includes(String(build.fields['coder'] ?? 'claude'))) continue;
      build.state = 'claimed';
      build.claimedAt = performance.now();
      slots -= 1;
      orders.push({ kind: 'start', build_id: build.id, claim: build.claim });
    }
    return orders;
  }

  async function answerWork(request: IncomingMessage, response: ServerResponse, body: string) {
    const asked = JSON.parse(body) as Asked;
    if (!knowsVersions && asked.coders.some((said) => typeof said === 'object'))
      return json(response, 422, { detail: [{ msg: 'coders' }] });
    if (!/^[0-9a-f]{32}$/.test(asked.nonce)) faults.push('nonce');
    if (!(asked.wait_seconds >= 0 && asked.wait_seconds <= 50)) faults.push('wait_seconds');
    const deadline = performance.now() + Math.min(asked.wait_seconds * 1000, longestWaitMs);
    let gone = false;
    request.socket.once('close', () => {
      gone = true;
      notify();
    });
    let orders = ordersFor(asked);
    while (orders.length === 0 && !gone && performance.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        const wake = () => {
          clearTimeout(timer);
          resolve();
        };
        waiting.add(wake);
        setTimeout(() => waiting.delete(wake), 1_100);
      });
      if (!gone) orders = ordersFor(asked);
    }
    const text = JSON.stringify({ orders });
    const proof = createHmac('sha256', sha256(pat))
      .update(asked.nonce + text)
      .digest('hex');
    const shown = wrongProofs-- > 0 ? 'f'.repeat(64) : proof;
    response.writeHead(200, { 'content-type': 'application/json', 'x-guildhall-proof': shown }).end(text);
  }

  const json = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const conflict = (response: ServerResponse, error: string, more: object = {}) =>
    json(response, 409, { detail: { error, message: error, ...more } });

  function answerStart(build: FakeBuild, response: ServerResponse) {
    if (build.state === 'ended') return conflict(response, 'claim_lost');
    build.state = 'running';
    build.starts += 1;
    return json(response, 200, {
      build_id: build.id,
      coder: 'claude',
      profile: null,
      settings: null,
      wall_minutes: 60,
      branch: build.branch,
      base_sha: build.baseSha,
      brief: '# GH-7: Mend the roof\n\nIt leaks.\n',
      mcp: { url: 'http://127.0.0.1:1/mcp', token: 'mcp-token-of-this-build' },
      env: {},
      ref: 'GH-7',
      title: 'Mend the roof',
      ...build.fields,
    });
  }

  function answerLog(build: FakeBuild, response: ServerResponse, url: URL, body: Buffer) {
    const seq = Number(url.searchParams.get('seq'));
    if (build.state !== 'running') return conflict(response, 'not_running');
    if (body.length > 256 * 1024) return json(response, 413, { detail: 'too large' });
    if (seq > build.parts.length + 1) return conflict(response, 'gap', { expected: build.parts.length + 1 });
    if (seq === build.parts.length + 1) build.parts.push(body.toString());
    else if (build.parts[seq - 1] !== body.toString()) faults.push(`part ${seq} changed`);
    return json(response, 200, { next: build.parts.length + 1 });
  }

  function answerCommits(build: FakeBuild, response: ServerResponse, body: Buffer) {
    if (build.state !== 'running') return conflict(response, 'not_running');
    if (body.length > 64 * 1024 * 1024) return json(response, 413, { detail: 'too large' });
    const bundle = join(folder, `${build.id}.bundle`);
    writeFileSync(bundle, body);
    try {
      const heads = build.repository.git('bundle', 'list-heads', bundle).split('\n');
      if (heads.length !== 1 || heads[0]?.split(' ')[1] !== `refs/heads/${build.branch}`)
        throw new Error(`heads: ${heads}`);
      build.repository.git(
        'fetch',
        '--quiet',
        bundle,
        `+refs/heads/${build.branch}:refs/heads/${build.branch}`,
      );
      build.repository.git('merge-base', '--is-ancestor', build.baseSha, build.branch);
    } catch (error) {
      return json(response, 422, { detail: (error as Error).message });
    }
    build.commits += 1;
    build.head = build.repository.git('rev-parse', build.branch);
    return json(response, 200, { head_sha: build.head });
  }

  function answerFinish(build: FakeBuild, response: ServerResponse, body: Buffer) {
    const report = JSON.parse(body.toString()) as Record<string, unknown>;
    if (build.finish && JSON.stringify(build.finish) !== JSON.stringify(report))
      faults.push('another finish');
    if (!['succeeded', 'failed', 'canceled', 'timed_out'].includes(String(report['outcome'])))
      return json(response, 422, { detail: 'outcome' });
    build.finish = report;
    build.finishes += 1;
    build.state = 'ended';
    return json(response, 200, {});
  }

  function answerBase(
    { id, repository }: Pick<FakeBuild, 'id' | 'repository'>,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    const bundle = join(folder, `${id}.base`);
    repository.git('bundle', 'create', '--quiet', bundle, 'main');
    const content = execFileSync('cat', [bundle], { maxBuffer: 1e9 });
    response.writeHead(200, {
      'content-type': 'application/x-git-bundle',
      'content-length': content.length,
    });
    if (!takeCut('base', 'halfway')) return response.end(content);
    response.write(content.subarray(0, Math.floor(content.length / 2)));
    return setTimeout(() => request.socket.destroy(), 50);
  }

  function answerBuild(
    step: Step,
    build: FakeBuild,
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ) {
    const page = build.pages[step];
    if (page && page.left-- > 0)
      return response.writeHead(page.status, { 'content-type': 'text/html' }).end('<h1>Be back soon</h1>');
    const refusal = build.refuse[step];
    if (refusal) return json(response, refusal.status, refusal.body);
    if (request.headers['x-guildhall-claim'] !== build.claim) return conflict(response, 'claim_lost');
    switch (step) {
      case 'start':
        return answerStart(build, response);
      case 'base':
        return answerBase(build, request, response);
      case 'log':
        return answerLog(build, response, new URL(request.url!, 'http://x'), body);
      case 'usage':
        build.usages.push(JSON.parse(body.toString()));
        return json(response, 200, {});
      case 'commits':
        return answerCommits(build, response, body);
      case 'finish':
        return answerFinish(build, response, body);
      default:
        return json(response, 404, {});
    }
  }

  const server = createServer(async (request, response) => {
    const path = new URL(request.url!, 'http://x').pathname;
    const [, , , , first, id, last] = path.split('/');
    const step = (last ?? first) as Step;
    if (takeCut(step, 'before')) return request.socket.destroy();
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    if (request.headers.authorization !== `Bearer ${pat}`) return json(response, 401, {});
    if (path.endsWith('/sidecar') || path.endsWith('/heartbeat')) return json(response, 200, {});
    calls.push({ step, buildId: id ?? null, body: step === 'work' ? JSON.parse(body.toString()) : {} });
    // The connection is cut after the request has been processed.
    if (takeCut(step, 'after')) {
      response.writeHead = (() => response) as never;
      response.end = (() => request.socket.destroy()) as never;
    }
    if (step === 'work') return answerWork(request, response, body.toString());
    const run = runs.get(id ?? '');
    if (run && step === 'base') return answerBase(run, request, response);
    if (run && request.headers['x-guildhall-claim'] !== run.claim) return conflict(response, 'claim_lost');
    const seq = Number(new URL(request.url!, 'http://x').searchParams.get('seq'));
    if (run) return answerChecks(run, path.split('/').slice(7), { seq, body, faults }, response);
    const build = builds.get(id ?? '');
    return build ? answerBuild(step, build, request, response, body) : json(response, 404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    pat,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    faults,
    cut(step: Step, when: 'before' | 'after' | 'halfway', times = 1): void {
      cuts.push({ step, when, left: times });
    },
    /** Answers a desk's long poll sooner than the desk requests. */
    answerWithin(milliseconds: number): void {
      longestWaitMs = milliseconds;
    },
    /** As releases do that take plain names of coders. */
    forgetVersions(): void {
      knowsVersions = false;
    },
    giveWrongProofs(count: number): void {
      wrongProofs = count;
    },

    queue(repository: ScratchRepository, fields: Record<string, unknown> = {}): FakeBuild {
      const build: FakeBuild = {
        id: randomUUID(),
        claim: `claim-${randomUUID()}`,
        branch: 'guildhall/gh-7-1',
        baseSha: repository.git('rev-parse', 'main'),
        repository,
        fields,
        state: 'queued',
        claimedAt: 0,
        starts: 0,
        parts: [],
        commits: 0,
        head: null,
        finish: null,
        finishes: 0,
        canceling: false,
        stopping: null,
        usages: [],
        refuse: {},
        pages: {},
      };
      builds.set(build.id, build);
      notify();
      return build;
    },
    queueChecks(...what: Parameters<typeof newCheckRun>): FakeCheckRun {
      const run = newCheckRun(...what);
      runs.set(run.id, run);
      notify();
      return run;
    },
    /** Queues a check run again, as the service does when a run never finishes. */
    queueAgain(run: FakeCheckRun): void {
      Object.assign(run, { state: 'queued', claim: `claim-${randomUUID()}`, logs: {} });
      notify();
    },
    cancel(build: FakeBuild | FakeCheckRun): void {
      build.canceling = true;
      notify();
    },
    stopBuild(build: FakeBuild, reason: string): void {
      build.stopping = reason;
      notify();
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type FakeService = Awaited<ReturnType<typeof startFakeService>>;
