import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAcp } from '../../sidecar/src/coders/acp.js';
import type { CoderEvent, CoderJob, CoderSession } from '../../sidecar/src/coders/driver.js';
import { createTranscript } from '../../sidecar/src/coders/transcript.js';
import { runCoder } from '../../sidecar/src/runner/coder-run.js';
import { createSecrets } from '../../sidecar/src/spool/secret-filter.js';
import { findProcesses } from '../desk-builds/build-desk.js';

const agent = fileURLToPath(new URL('../support/scripted-acp-agent.mjs', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guildhall-acp-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
}

interface Options {
  settings?: Partial<CoderJob['started']['settings']>;
  limits?: { initialize: number; newSession: number };
  canceled?: AbortSignal;
  secret?: string;
}

/** Runs the scripted agent as a build does, but without a desk. */
async function run(script: object, { settings, limits, canceled, secret }: Options = {}) {
  let log = '';
  const percents: number[] = [];
  const states: string[] = [];
  const secrets = createSecrets(secret ? [{ name: 'one', value: secret }] : []);
  const write = (text: string) => {
    log += text;
  };
  const now = () => new Date('2026-03-01T12:00:00Z');
  const transcript = createTranscript({
    write,
    secrets,
    now,
    onProgress: (percent) => percents.push(percent),
  });
  const job = {
    checkout: folder,
    model: settings?.model ?? null,
    started: {
      coder: 'scripted',
      mcp: { url: 'http://127.0.0.1:1/mcp', token: 'mcp-token' },
      settings: { model: null, effort: null, maxTurns: null, maxSteps: null, ...settings },
    },
  } as CoderJob;
  let session!: CoderSession;
  const buildId = `acp-${process.pid}-${Math.random()}`;
  const end = await runCoder({
    cell: { isolation: 'none', uid: null, settings: '', veil: '', coder: '', tmp: '', passwd: '' },
    coder: {
      command: [process.execPath, agent, JSON.stringify(script)],
      environment: {
        PATH: process.env['PATH']!,
        SEEN: join(folder, 'seen.json'),
        GUILDHALL_BUILD_ID: buildId,
      },
    },
    folder,
    buildId,
    wallMinutes: 1,
    canceled: canceled ?? new AbortController().signal,
    log: { write, close: () => {} },
    open(input, over) {
      const emit = (event: CoderEvent) => {
        transcript.take(event);
        if (event.type === 'state') states.push(event.state);
        if (event.type === 'end' || (event.type === 'state' && event.state === 'idle')) over();
      };
      session = openAcp({ job, uid: null, secrets, now, input, emit }, { limits });
      session.send('Mend the roof');
      return session;
    },
  });
  const seen = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8')) as Message[];
  return {
    log,
    percents,
    states,
    end,
    seen,
    sent: (method: string) => seen.filter((message) => message.method === method),
    verdict: session.judge(end.exit),
    usage: session.usage(),
    conversation: transcript.conversation(),
  };
}

const toolCall = (more: object) => ({ update: { sessionUpdate: 'tool_call', toolCallId: 't1', ...more } });
const toolUpdate = (more: object) => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId: 't1', ...more },
});

describe('Agent Client Protocol session', () => {
  it("opens with the checkout and Guildhall's tools, and sends the brief as the prompt", async () => {
    const { sent } = await run({ atPrompt: [{ say: 'Done.' }] });
    expect(sent('initialize')[0]?.params).toMatchObject({ protocolVersion: 1, clientCapabilities: {} });
    expect(sent('session/new')[0]?.params).toEqual({
      cwd: folder,
      mcpServers: [
        {
          type: 'http',
          name: 'guildhall',
          url: 'http://127.0.0.1:1/mcp',
          headers: [{ name: 'Authorization', value: 'Bearer mcp-token' }],
        },
      ],
    });
    expect(sent('session/prompt')[0]?.params).toEqual({
      sessionId: 'session-1',
      prompt: [{ type: 'text', text: 'Mend the roof' }],
    });
  });

  it('logs that a program without MCP over HTTP gets no Guildhall tools', async () => {
    const { log, sent } = await run({ http: false, atPrompt: [{ say: 'Done.' }] });
    expect(sent('session/new')[0]?.params?.['mcpServers']).toEqual([]);
    expect(log).toContain('This coder does not support MCP over HTTP, so it has no Guildhall tools\n');
  });

  it('logs messages, tool calls and plans in readable form', async () => {
    const plan = (status: string) => ({
      update: {
        sessionUpdate: 'plan',
        entries: [
          { content: 'Look', priority: 'high', status: 'completed' },
          { content: 'Mend', priority: 'high', status },
        ],
      },
    });
    const { log, percents, conversation, verdict, states } = await run({
      atPrompt: [
        plan('in_progress'),
        { say: 'I lo' },
        { say: 'ok.\nAnd' },
        { say: ' mend.' },
        toolCall({ title: 'Edit', kind: 'edit', status: 'pending' }),
        toolUpdate({ title: 'Edit roof', status: 'in_progress', locations: [{ path: '/a/roof.txt' }] }),
        toolUpdate({
          status: 'completed',
          content: [{ type: 'diff', path: '/a/roof.txt', oldText: 'a', newText: 'b' }],
        }),
        plan('completed'),
        { say: 'Mended.' },
      ],
    });
    expect(log).toBe(
      'scripted 1.2.3\nPlan:\n[x] Look\n[~] Mend\nI look.\nAnd mend.\n> Edit roof (/a/roof.txt)\n< changed /a/roof.txt\n' +
        'Plan:\n[x] Look\n[x] Mend\nMended.\n',
    );
    expect(percents).toEqual([50, 100]);
    expect(conversation.map(({ content }) => content)).toEqual(['I look.\nAnd mend.', 'Mended.']);
    expect(verdict).toEqual({
      outcome: 'succeeded',
      result: 'Mended.',
      unchanged: 'Ended without a change',
    });
    expect(states).toEqual(['running', 'idle']);
  });

  it('logs messages of child sessions, and leaves them out of the conversation and the result', async () => {
    const { log, conversation, verdict } = await run({
      atPrompt: [{ say: 'Mended.' }, { whisper: 'Psst.' }],
    });
    expect(log).toContain('Mended.\nPsst.\n');
    expect(conversation.map(({ content }) => content)).toEqual(['Mended.']);
    expect(verdict).toMatchObject({ result: 'Mended.' });
  });

  it('masks secrets in the log and the conversation, even when a secret arrives in pieces', async () => {
    const { log, conversation, verdict } = await run(
      { atPrompt: [{ say: 'It is hunter2-hunter2.' }, { say: 'hunter2-' }, { say: 'hunter2' }] },
      { secret: 'hunter2-hunter2' },
    );
    expect(log).toContain('It is [secret].');
    expect(conversation[0]?.content).toBe('It is [secret].[secret]');
    expect(verdict.outcome).toBe('succeeded');
  });

  it('reports null tokens when the program reports only its cost, and both when it reports both', async () => {
    const cost = {
      update: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.5, currency: 'USD' } },
    };
    const some = await run({ atPrompt: [cost] });
    expect(some.usage).toEqual({ tokens_in: null, tokens_out: null, cost_usd: 0.5 });
    const usage = { totalTokens: 9, inputTokens: 4, outputTokens: 3, cachedReadTokens: 2 };
    expect((await run({ usage, atPrompt: [cost] })).usage).toEqual({
      tokens_in: 6,
      tokens_out: 3,
      cost_usd: 0.5,
    });
    expect((await run({ atPrompt: [] })).usage).toBeUndefined();
  });

  it('sets model and effort through session options, and logs the settings that the program ignores', async () => {
    const choice = (value: string) => ({ value, name: value });
    const options = [
      {
        type: 'select',
        id: 'm',
        name: 'Model',
        category: 'model',
        currentValue: 'a/one',
        options: [choice('a/one'), choice('a/two')],
      },
    ];
    const { sent, log } = await run(
      { options, atPrompt: [] },
      { settings: { model: 'two', effort: 'high', maxSteps: 5 } },
    );
    expect(sent('session/set_config_option').map(({ params }) => params)).toEqual([
      { sessionId: 'session-1', configId: 'm', value: 'a/two' },
    ]);
    expect(log).toContain('This coder ignores: effort, max_steps\n');
  });

  it('authenticates with the API key in the environment, and fails with the names of logins that need a person', async () => {
    const logins = [
      { id: 'web', name: 'Log in with a browser' },
      { id: 'api-key', name: 'API key' },
    ];
    const { sent, verdict } = await run({ logins, atPrompt: [{ say: 'Done.' }] });
    expect(sent('authenticate').map(({ params }) => params)).toEqual([{ methodId: 'api-key' }]);
    expect(verdict.outcome).toBe('succeeded');
    expect((await run({ logins: logins.slice(0, 1) })).verdict).toEqual({
      outcome: 'failed',
      reason: 'The coder requires a login: Log in with a browser',
    });
  });

  it.each([
    [[{ say: 'I did nothing.' }], 'Ended without a change'],
    [[], 'Ended without a change and without a word'],
  ])('requires a change or the done tool: %j', async (atPrompt, unchanged) => {
    expect((await run({ atPrompt })).verdict).toMatchObject({ outcome: 'succeeded', unchanged });
  });

  it.each(['mcp__guildhall__done', 'guildhall_done', 'done (guildhall MCP Server)'])(
    'succeeds without a change after the done tool, spelled %s',
    async (title) => {
      const { verdict } = await run({ atPrompt: [toolCall({ title, status: 'completed' })] });
      expect(verdict).toEqual({ outcome: 'succeeded' });
    },
  );

  it('does not mistake a command for the done tool', async () => {
    const { verdict } = await run({
      atPrompt: [toolCall({ title: 'echo guildhall_done', status: 'completed' })],
    });
    expect(verdict.unchanged).toBeDefined();
  });

  it.each([
    ['refusal', 'The coder refused to continue'],
    ['max_turn_requests', 'The coder reached the turn limit'],
  ])('fails when it stops with %s', async (stopReason, reason) => {
    expect((await run({ stopReason })).verdict).toEqual({ outcome: 'failed', reason });
  });
});

describe('Permission requests', () => {
  it('are answered, even for child sessions that the program did not announce', async () => {
    const { seen, log, states } = await run({
      atPrompt: [{ permission: { sessionId: 'a-child' } }, { say: 'Done.' }],
    });
    expect(seen.find(({ id }) => id === 'agent-1')?.result).toEqual({
      outcome: { outcome: 'selected', optionId: 'allow_once' },
    });
    expect(log).toContain('? Run rm (allowed)\nDone.\n');
    expect(states).toEqual(['running', 'requires_action', 'running', 'idle']);
  });

  it('lead to another prompt instead of the end of the session when refused', async () => {
    const { sent, log, verdict } = await run({
      atPrompt: [{ permission: { kinds: ['reject_once'] } }],
      atNextPrompt: [{ say: 'I continue without it.' }],
    });
    expect(log).toContain('? Run rm (refused)\n');
    expect(sent('session/prompt')).toHaveLength(2);
    expect(JSON.stringify(sent('session/prompt')[1])).toContain('Run rm was refused. Continue without it');
    expect(verdict).toMatchObject({ outcome: 'succeeded', result: 'I continue without it.' });
  });
});

it('reminds a program of a refused permission at most three times', async () => {
  const refused = [{ permission: { kinds: ['reject_once'] } }];
  const { sent } = await run({ atPrompt: refused, atNextPrompt: refused });
  expect(sent('session/prompt')).toHaveLength(4);
});

describe('Slow or faulty program', () => {
  it('succeeds when it takes long to open its session', async () => {
    const limits = { initialize: 5_000, newSession: 10_000 };
    const { verdict } = await run(
      { atSession: [{ pause: 1_500 }], atPrompt: [{ say: 'Done.' }] },
      { limits },
    );
    expect(verdict.outcome).toBe('succeeded');
  });

  it.each([
    ['atStart', 'The coder did not answer the initialize request within 0.5 seconds'],
    ['atSession', 'The coder did not open a session within 0.5 seconds'],
  ])('fails when it never answers %s', async (moment, reason) => {
    const limits = { initialize: 500, newSession: 500 };
    const quick = moment === 'atSession' ? { ...limits, initialize: 20_000 } : limits;
    expect((await run({ [moment]: [{ forever: true }] }, { limits: quick })).verdict).toEqual({
      outcome: 'failed',
      reason,
    });
  });

  it.each([
    [
      'a message of more than 1 MiB',
      [{ raw: '{"jsonrpc":"2.0","method":"x","params":"' }, { repeat: ['x', 1_100_000] }, { raw: '"}\n' }],
      /^The coder sent a message of more than 1 MiB$/,
    ],
    [
      'a line without an end',
      [{ repeat: ['x', 1_200_000] }],
      /^The coder sent a message of more than 1 MiB$/,
    ],
    [
      'invalid JSON',
      [{ raw: '{"jsonrpc": \n' }],
      /^The coder sent a message that is not valid JSON: \{"jsonrpc":/,
    ],
    [
      'output outside of the protocol',
      [{ raw: 'npm warn deprecated\n' }],
      /^The coder printed output that is not part of the protocol: npm warn deprecated$/,
    ],
  ])('fails with a reason after %s', async (_what, steps, reason) => {
    const { verdict } = await run({ atPrompt: [...steps, { forever: true }] });
    expect(verdict.outcome).toBe('failed');
    expect(verdict.reason).toMatch(reason);
  });

  it('may print up to 64 KiB before its first answer, and that output is logged', async () => {
    const line = `${'welcome '.repeat(100)}\n`;
    const { verdict, log } = await run({ atStart: [{ repeat: [line, 70] }], atPrompt: [{ say: 'Done.' }] });
    expect(verdict.outcome).toBe('succeeded');
    expect(log.split(line)).toHaveLength(71);
    const long = await run({ atStart: [{ repeat: [line, 90] }, { forever: true }] });
    expect(long.verdict).toMatchObject({
      reason: 'The coder printed more than 64 KiB before its first answer',
    });
  });

  it('fails when it speaks another protocol version', async () => {
    expect((await run({ version: 7 })).verdict).toMatchObject({
      reason: 'The coder uses version 7 of the protocol, but this desk supports only version 1',
    });
  });

  it('fails when it exits in the middle of a turn', async () => {
    expect((await run({ atPrompt: [{ exit: 3 }] })).verdict).toMatchObject({
      outcome: 'failed',
      reason: 'The coder ended with exit code 3 and without a result',
    });
  });
});

describe('End of a session', () => {
  it('kills the child processes of the program', async () => {
    const { verdict } = await run({ atPrompt: [{ child: true }, { say: folder }] });
    expect(verdict.outcome).toBe('succeeded');
    expect(findProcesses('sleep 1000').filter((pid) => readCwd(pid) === folder)).toEqual([]);
  });

  it('is requested when the build is canceled', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1_500);
    const began = performance.now();
    const { end, sent } = await run({ atPrompt: [{ untilCanceled: true }] }, { canceled: controller.signal });
    expect(end.why).toBe('canceled');
    expect(sent('session/cancel')).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  it('is forced 10 seconds after a cancel that the program ignores', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1_500);
    const began = performance.now();
    const { end, sent } = await run(
      { ignoresSignals: true, atPrompt: [{ forever: true }] },
      { canceled: controller.signal },
    );
    expect(end).toEqual({ why: 'canceled', exit: { code: null, signal: 'SIGKILL' } });
    expect(sent('session/cancel')).toHaveLength(1);
    expect(performance.now() - began).toBeGreaterThan(10_000);
  });
});

/** Other tests may run the same command, so identify this test's processes by their environment. */
function readCwd(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder) ? folder : '';
  } catch {
    return '';
  }
}
