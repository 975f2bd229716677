import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../spool/secret-filter.js';
import type { StartedBuild } from '../work/build-protocol.js';
import { opencode, openhands } from './acp-coders.js';
import { claude, claudeMcpConfig } from './claude.js';
import { codex } from './codex.js';
import type { CoderDriver, CoderJob } from './driver.js';
import { withProvider } from './models.js';
import { pi } from './pi.js';
import { findHold } from './provider-limits.js';
import { createTranscript } from './transcript.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const exit = { code: 0, signal: null };

function open(coder: CoderDriver, settings: Partial<StartedBuild['settings']> = {}) {
  let log = '';
  const secrets = createSecrets([]);
  const now = () => NOW;
  const write = (text: string) => {
    log += text;
  };
  const transcript = createTranscript({ write, secrets, now, onProgress: () => {} });
  const session = coder.open({
    job: job(settings),
    uid: null,
    secrets,
    now,
    emit: transcript.take,
    input: { write: () => {}, end: () => {} },
  });
  return { session, log: () => log, conversation: transcript.conversation };
}

function read(
  coder: CoderDriver,
  events: (object | string)[],
  how = exit as { code: number | null; signal: string | null },
) {
  const { session, log, conversation } = open(coder);
  for (const event of events) session.read(`${typeof event === 'string' ? event : JSON.stringify(event)}\n`);
  const said = conversation();
  return { ...session.judge(how), ...(said.length > 0 && { conversation: said }), log: log() };
}

const job = (
  settings: Partial<StartedBuild['settings']> = {},
  environment: Record<string, string> = {},
): CoderJob => ({
  started: {
    build_id: 'b',
    coder: 'claude',
    settings: { model: null, effort: null, maxTurns: null, maxSteps: null, ...settings },
    wall_minutes: 1,
    branch: 'guildhall/x-1',
    base_sha: 'a'.repeat(40),
    brief: 'b',
    mcp: { url: 'https://g.test/mcp', token: 'secret-token' },
    env: {},
    setup_env: {},
    secret_names: [],
    ref: 'X-1',
    title: 't',
    allow_secrets: false,
    project_id: null,
    setup: null,
    reads_only: false,
    trusted_base: true,
    notes: [],
  },
  executable: '/bin/coder',
  briefFile: '/a/brief.md',
  resultFile: '/a/result.json',
  usageFile: '/a/usage.json',
  mcpConfigFile: '/a/mcp.json',
  extensionFile: '/a/tools.mjs',
  model: settings.model ?? null,
  checkout: '/a/checkout',
  home: '/a/home',
  environment,
});

const result = (more: object) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  num_turns: 2,
  ...more,
});
const said = (text: string, more: object = {}) => ({
  type: 'assistant',
  message: { content: [{ type: 'text', text }] },
  ...more,
});

describe('Claude Code', () => {
  it('passes the model, effort and limits of the settings, and never the token, as arguments', () => {
    const { command } = claude.command(job({ model: 'claude-sonnet-5', effort: 'high', maxTurns: 200 }));
    const words = command.join(' ');
    expect(words).toContain('/bin/coder -p --output-format stream-json --verbose');
    expect(words).toContain('--model claude-sonnet-5 --effort high --max-turns 200');
    expect(words).toContain('--mcp-config /a/mcp.json --strict-mcp-config');
    expect(words).not.toContain('secret-token');
    expect(claude.command(job()).command.join(' ')).not.toMatch(/--model|--effort|--max-turns/);
    expect(JSON.parse(claudeMcpConfig('https://g.test/mcp')).mcpServers.guildhall).toEqual({
      type: 'http',
      url: 'https://g.test/mcp',
      headers: { Authorization: `Bearer \${GUILDHALL_MCP_TOKEN}` },
    });
  });

  it('reports success with result, usage and conversation when the last event succeeds', () => {
    const verdict = read(claude, [
      { type: 'system', subtype: 'init', claude_code_version: '2.1', model: 'm' },
      said('I look.'),
      {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', name: 'Bash', input: { command: 'ls' } }] },
      },
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', content: [{ type: 'text', text: 'roof.txt' }] }] },
      },
      said('helper words', { parent_tool_use_id: 't' }),
      result({
        result: 'Mended.',
        total_cost_usd: 0.25,
        usage: {
          input_tokens: 10,
          cache_creation_input_tokens: 20,
          cache_read_input_tokens: 30,
          output_tokens: 7,
        },
      }),
    ]);
    expect(verdict).toEqual({
      outcome: 'succeeded',
      result: 'Mended.',
      usage: { tokens_in: 60, tokens_out: 7, cost_usd: 0.25 },
      conversation: [{ role: 'assistant', content: 'I look.', at: NOW.toISOString() }],
      log: 'Claude Code 2.1, model m\nI look.\n> Bash {"command":"ls"}\n< roof.txt\nhelper words\n[success, 2 turns]\n',
    });
  });

  it.each([
    [
      'a 401 that is both a success and an error',
      result({ is_error: true, result: 'Invalid API key' }),
      'Invalid API key',
    ],
    [
      'its turn limit reached',
      result({ subtype: 'error_max_turns', is_error: true }),
      'The coder ended with error_max_turns',
    ],
    ['is_error missing', result({ is_error: undefined }), 'The coder ended with success'],
  ])('reports failure with %s', (_what, event, reason) => {
    expect(read(claude, [said('x'), event])).toMatchObject({ outcome: 'failed', reason });
  });

  it('reports failure without a result even for exit code 0, which an interrupt returns', () => {
    expect(read(claude, [said('x')])).toMatchObject({
      outcome: 'failed',
      reason: 'The coder ended with exit code 0 and without a result',
    });
    expect(read(claude, [], { code: null, signal: 'SIGKILL' })).toMatchObject({
      reason: 'The coder ended by signal SIGKILL and without a result',
    });
  });

  it("reports when the provider's limit resets", () => {
    const resetsAt = NOW.getTime() / 1000 + 7_200;
    const failed = result({ is_error: true, result: 'You have hit your limit' });
    const limited = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } };
    expect(read(claude, [limited, failed]).held_until).toBe('2026-03-01T14:00:00.000Z');
    const allowed = { type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt } };
    expect(read(claude, [allowed, result({})])).not.toHaveProperty('held_until');
    expect(read(claude, [limited, result({})])).not.toHaveProperty('held_until');
    expect(read(claude, [result({ is_error: true, result: 'the tests fail' })])).not.toHaveProperty(
      'held_until',
    );
  });

  it('logs lines that are not events unchanged', () => {
    expect(read(claude, ['warning: x', '[1,2]', '{"half":', 'null']).log).toBe(
      'warning: x\n[1,2]\n{"half":\nnull\n',
    );
  });
});

describe('Codex', () => {
  const completed = {
    type: 'turn.completed',
    usage: { input_tokens: 7, cached_input_tokens: 3, output_tokens: 2 },
  };
  const message = { type: 'item.completed', item: { type: 'agent_message', text: 'Mended.' } };

  it('passes its settings and its own option for the endpoint', () => {
    const { command } = codex.command(job({ effort: 'high' }, { OPENAI_BASE_URL: 'http://m.test/v1' }));
    expect(command.slice(0, 3)).toEqual(['/bin/coder', 'exec', '--json']);
    const words = command.join(' ');
    expect(words).toContain('-c mcp_servers.guildhall.url="https://g.test/mcp"');
    expect(words).toContain('-c mcp_servers.guildhall.bearer_token_env_var="GUILDHALL_MCP_TOKEN"');
    expect(words).toContain('-c model_reasoning_effort="high" -c openai_base_url="http://m.test/v1"');
    expect(command.at(-1)).toBe('-');
    expect(words).not.toContain('secret-token');
  });

  it('reports success when the last turn completed', () => {
    expect(
      read(codex, [
        { type: 'turn.started' },
        { type: 'error', message: 'Reconnecting... 1/5' },
        message,
        completed,
      ]),
    ).toEqual({
      outcome: 'succeeded',
      result: 'Mended.',
      usage: { tokens_in: 7, tokens_out: 2 },
      conversation: [{ role: 'assistant', content: 'Mended.', at: NOW.toISOString() }],
      log: '! Reconnecting... 1/5\nMended.\n[completed]\n',
    });
  });

  it.each([
    [
      'a failed turn',
      [message, completed, { type: 'turn.started' }, { type: 'turn.failed', error: { message: 'no' } }],
      'no',
    ],
    [
      'an unfinished turn',
      [completed, { type: 'turn.started' }],
      'The coder ended with exit code 0 and without a result',
    ],
    ['no output', [], 'The coder ended with exit code 0 and without a result'],
  ])('reports failure with %s', (_what, events, reason) => {
    expect(read(codex, events)).toMatchObject({ outcome: 'failed', reason });
  });
});

describe('OpenCode', () => {
  it('gets model, steps and permissions from a variable, on top of the settings that the owner put there', () => {
    const given = JSON.stringify({ model: 'a/other', agent: { plan: { steps: 1 } }, username: 'me' });
    const { command, environment } = opencode.command(
      job({ model: 'a/one', maxSteps: 150 }, { OPENCODE_CONFIG_CONTENT: given }),
    );
    expect(command).toEqual(['/bin/coder', 'acp']);
    expect(JSON.parse(environment['OPENCODE_CONFIG_CONTENT']!)).toEqual({
      model: 'a/one',
      agent: { plan: { steps: 1 }, build: { steps: 150 } },
      username: 'me',
      permission: 'allow',
      autoupdate: false,
      share: 'disabled',
    });
  });
});

describe('OpenHands', () => {
  it('gets its model from a variable, in addition to the environment of the profile', () => {
    const { command, environment } = openhands.command(job({ model: 'a/one' }, { OPENHANDS_VENV: 'fresh' }));
    expect(command).toEqual(['/bin/coder', 'acp', '--always-approve', '--override-with-envs']);
    expect(environment).toEqual({ OPENHANDS_VENV: 'fresh', LLM_MODEL: 'a/one' });
  });
});

describe('Pi', () => {
  const idle = { isStreaming: false, isCompacting: false, pendingMessageCount: 0 };
  const state = { type: 'response', command: 'get_state', success: true, data: idle };
  const message = (text: string, more: object = {}) => ({
    type: 'message_end',
    message: { role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop', ...more },
  });
  const failed = message('', { stopReason: 'error', errorMessage: '429 too many requests' });

  it("starts with its settings and Guildhall's tools, and without the token in its arguments", () => {
    const { command, files, environment } = pi.command(job({ model: 'a/one', effort: 'max' }));
    expect(command.join(' ')).toBe(
      '/bin/coder --mode rpc --no-session --offline --extension /a/tools.mjs --model a/one --thinking xhigh',
    );
    expect(files?.['/a/tools.mjs']).toContain('registerTool');
    expect(environment['GUILDHALL_MCP_URL']).toBe('https://g.test/mcp');
  });

  it('succeeds when its state shows no remaining work', () => {
    const usage = { input: 3, cacheRead: 4, output: 2, cost: { total: 0.5 } };
    expect(read(pi, [message('Mended.', { usage }), { type: 'agent_end' }, state])).toEqual({
      outcome: 'succeeded',
      result: 'Mended.',
      unchanged: 'Ended without a change',
      conversation: [{ role: 'assistant', content: 'Mended.', at: NOW.toISOString() }],
      log: 'Pi\nMended.\n',
    });
  });

  it('continues while Pi retries, and fails with the last error otherwise', () => {
    const retry = { type: 'auto_retry_start', errorMessage: 'overloaded' };
    const events = [failed, { type: 'agent_end' }, retry, state];
    expect(read(pi, events)).toMatchObject({ outcome: 'failed' });
    const end = { type: 'auto_retry_end' };
    expect(read(pi, [...events, end, message('Mended.'), { type: 'agent_end' }, state])).toMatchObject({
      outcome: 'succeeded',
    });
    expect(read(pi, [failed, { type: 'agent_end' }, state])).toMatchObject({
      outcome: 'failed',
      reason: '429 too many requests',
      held_until: '2026-03-01T13:00:00.000Z',
    });
  });

  it('fails when the driver stops it at the turn limit', () => {
    const { session, log } = open(pi, { maxSteps: 2 });
    const turn = { type: 'turn_end', toolResults: [{}] };
    for (const event of [turn, turn]) session.read(`${JSON.stringify(event)}\n`);
    expect(log()).toBe('Pi\n');
    expect(session.judge(exit)).toEqual({
      outcome: 'failed',
      reason: 'The coder reached its limit of 2 turns',
    });
  });
});

describe('Provider of a model', () => {
  it("is built in for some models, and the desk's own list takes precedence", () => {
    const models = join(mkdtempSync(join(tmpdir(), 'guildhall-models-')), 'models.json');
    expect(withProvider({ models }, 'MiniMax-M3')).toBe('minimax/MiniMax-M3');
    expect(withProvider({ models }, 'claude-sonnet-5')).toBe('claude-sonnet-5');
    expect(withProvider({ models }, null)).toBeNull();
    writeFileSync(models, '{"MiniMax-M3": "openrouter/minimax-m3", "claude-sonnet-5": 1}');
    expect(withProvider({ models }, 'MiniMax-M3')).toBe('openrouter/minimax-m3');
    expect(withProvider({ models }, 'claude-sonnet-5')).toBe('claude-sonnet-5');
    rmSync(dirname(models), { recursive: true });
  });
});

describe('Profile settings', () => {
  it('appear once in the log when the program ignores them', () => {
    expect(open(codex, { maxTurns: 3, effort: 'high' }).log()).toBe('This coder ignores: max_turns\n');
    expect(open(claude, { maxTurns: 3, effort: 'high' }).log()).toBe('');
  });
});

describe('Reset time of a provider limit', () => {
  it.each([
    ['Claude AI usage limit reached|1772373600', '2026-03-01T14:00:00.000Z'],
    ['You have hit your usage limit. Try again in 2 hours 30 minutes.', '2026-03-01T14:30:00.000Z'],
    ['usage limit reached, try again in 1 day 1 hour', '2026-03-02T13:00:00.000Z'],
    ['Request rejected (429) · limit', '2026-03-01T13:00:00.000Z'],
    ['usage limit reached|1772359200', undefined],
    ['the tests fail', undefined],
    ['usage limit. try again in 300 days', '2026-03-09T12:00:00.000Z'],
  ])('is derived from the message: %s', (text, until) => expect(findHold(text, NOW)).toBe(until));

  it.each([
    ['You’ve hit your usage limit, or try again at 1:50 PM.', 1, 13, 50],
    ['usage limit: try again at 9:05 AM', 2, 9, 5],
    ['usage limit; try again at Mar 3rd, 2026 12:30 AM.', 3, 0, 30],
  ])("is read in the machine's time zone: %s", (text, day, hour, minute) => {
    const noon = new Date(2026, 2, 1, 12, 0, 0);
    expect(findHold(text, noon)).toBe(new Date(2026, 2, day, hour, minute).toISOString());
  });
});

describe('Usage so far', () => {
  const usageAfter = (coder: CoderDriver, events: object[]) => {
    const { session } = open(coder);
    for (const event of events) session.read(`${JSON.stringify(event)}\n`);
    return session.usage();
  };
  const message = (id: string, usage: object) => ({ type: 'assistant', message: { id, usage, content: [] } });

  it('counts each message of Claude Code once until Claude Code reports a total', () => {
    const events = [
      message('a', { input_tokens: 10, cache_creation_input_tokens: 5, output_tokens: 1 }),
      message('a', { input_tokens: 10, cache_creation_input_tokens: 5, output_tokens: 7 }),
      message('b', { input_tokens: 1, cache_read_input_tokens: 100, output_tokens: 3 }),
    ];
    expect(usageAfter(claude, [])).toBeUndefined();
    expect(usageAfter(claude, events)).toEqual({ tokens_in: 26, tokens_out: 10 });
    const last = result({ usage: { input_tokens: 200, output_tokens: 20 }, total_cost_usd: 0.5 });
    expect(usageAfter(claude, [...events, last])).toEqual({ tokens_in: 200, tokens_out: 20, cost_usd: 0.5 });
  });

  it('adds up the turns of Codex', () => {
    const turn = { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 2 } };
    expect(usageAfter(codex, [])).toBeUndefined();
    expect(usageAfter(codex, [turn, turn])).toEqual({ tokens_in: 20, tokens_out: 4 });
  });
});
