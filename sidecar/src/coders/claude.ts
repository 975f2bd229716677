import { isRecord, type Usage } from '../work/build-protocol.js';
import { asCount, asText, clipReason, clipResult, describeExit, isCost, shorten } from './coder.js';
import {
  type CoderDriver,
  type CoderLink,
  type CoderSession,
  describeIgnored,
  type Exit,
  type Verdict,
} from './driver.js';
import { LONGEST_EVENT, readEventLines } from './event-lines.js';
import { findHold, holdUntil, readEpoch } from './provider-limits.js';

type Event = Record<string, unknown>;

const LONGEST_INPUT = 300;
const LONGEST_ANSWER = 2_000;

/** Claude Code in non-interactive mode. It skips permission prompts, because the cell isolates it. */
export const claude: CoderDriver = {
  command({ started, executable, mcpConfigFile, home, environment }) {
    const { model, effort, maxTurns } = started.settings;
    return {
      command: [
        executable,
        '-p',
        ...['--output-format', 'stream-json', '--verbose'],
        ...(model ? ['--model', model] : []),
        ...(effort ? ['--effort', effort] : []),
        ...(maxTurns ? ['--max-turns', String(maxTurns)] : []),
        ...['--mcp-config', mcpConfigFile, '--strict-mcp-config'],
        '--dangerously-skip-permissions',
      ],
      environment: {
        ...environment,
        CLAUDE_CONFIG_DIR: `${home}/.claude`,
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // A desk without root runs it as the sidecar's user, which may be root in a container.
        ...(process.getuid?.() === 0 && { IS_SANDBOX: '1' }),
      },
    };
  },

  open: openClaude,
};

/** The token stays in the environment, because a file can be copied. */
export const claudeMcpConfig = (url: string): string =>
  JSON.stringify({
    mcpServers: {
      guildhall: { type: 'http', url, headers: { Authorization: `Bearer \${GUILDHALL_MCP_TOKEN}` } },
    },
  });

function openClaude({ job, secrets, emit, now, input }: CoderLink): CoderSession {
  const used = createTally();
  let last: Event | undefined;
  let hold: string | undefined;
  let count = 0;

  const note = (text: string) => emit({ type: 'note', text });
  const ignored = describeIgnored(job.started.settings, ['model', 'effort', 'max_turns']);
  if (ignored) note(ignored);

  function takeEvent(event: Event): void {
    switch (event['type']) {
      case 'system':
        if (event['subtype'] === 'init')
          note(`Claude Code ${asText(event['claude_code_version'])}, model ${asText(event['model'])}\n`);
        break;
      case 'assistant':
        used.add(event['message']);
        takeSaid(event);
        break;
      case 'user':
        takeAnswers(event);
        break;
      case 'rate_limit_event':
        hold = readRejection(event['rate_limit_info'], now()) ?? hold;
        break;
      case 'result':
        last = event;
        note(`${describeResult(event)}\n`);
        break;
    }
  }

  function takeSaid(event: Event): void {
    // Keep messages of subagents out of the conversation.
    const aside = Boolean(event['parent_tool_use_id'] || event['is_api_error_message']);
    for (const block of contentOf(event)) {
      count += 1;
      if (block['type'] === 'text')
        emit({ type: 'message', id: String(count), text: asText(block['text']), aside });
      else if (block['type'] === 'tool_use')
        emit({
          type: 'tool',
          id: asText(block['id']) || String(count),
          title: `${asText(block['name'])} ${shorten(JSON.stringify(block['input'] ?? {}), LONGEST_INPUT)}`,
          status: 'in_progress',
        });
    }
  }

  function takeAnswers(event: Event): void {
    for (const block of contentOf(event))
      if (block['type'] === 'tool_result')
        emit({
          type: 'tool',
          id: asText(block['tool_use_id']),
          status: block['is_error'] ? 'failed' : 'completed',
          output: shorten(plainText(block['content']), LONGEST_ANSWER),
        });
  }

  return {
    longestLine: LONGEST_EVENT,
    read: readEventLines({ secrets, emit }, takeEvent),
    send(text) {
      input.write(text);
      input.end();
    },
    cancel: () => false,
    usage: () => (last ? readUsage(last) : used.total()),

    judge(exit): Verdict {
      const usage = last && { usage: readUsage(last) };
      const verdict = judgeResult(last, exit);
      if (verdict.outcome === 'succeeded') return { ...verdict, ...usage };
      const until = hold ?? findHold(`${verdict.reason} ${asText(last?.['result'])}`, now());
      return { ...verdict, ...usage, ...(until && { held_until: until }) };
    },
  };
}

/** A refused login is reported as `success` with an error flag, so check both. */
function judgeResult(last: Event | undefined, exit: Exit): Verdict {
  if (!last)
    return { outcome: 'failed', reason: `The coder ended ${describeExit(exit)} and without a result` };
  const result = clipResult(asText(last['result']));
  if (last['subtype'] === 'success' && last['is_error'] === false)
    return { outcome: 'succeeded', ...(result && { result }) };
  const reason = clipReason(
    asText(last['result']) || firstError(last) || `The coder ended with ${asText(last['subtype'])}`,
  );
  return { outcome: 'failed', reason, ...(result && { result }) };
}

const firstError = (last: Event): string => (Array.isArray(last['errors']) ? asText(last['errors'][0]) : '');

const describeResult = (event: Event): string =>
  `[${asText(event['subtype'])}${event['is_error'] ? ', an error' : ''}, ${asCount(event['num_turns'])} turns]`;

function contentOf(event: Event): Event[] {
  const message = event['message'];
  const content = isRecord(message) ? message['content'] : undefined;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

const plainText = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part) => (isRecord(part) ? asText(part['text']) : '')).join('\n')
    : asText(content);

/**
 * Estimates usage until the final report. A message arrives in pieces, each with its running total. Cached
 * input tokens count as a tenth, because they cost about that much and are most of the input.
 */
function createTally() {
  const total = { tokens_in: 0, tokens_out: 0 };
  let current = { id: '', tokens_in: 0, tokens_out: 0 };
  return {
    add(message: unknown): void {
      if (!isRecord(message) || !isRecord(message['usage'])) return;
      const usage = message['usage'];
      const id = asText(message['id']);
      const before = id !== '' && id === current.id ? current : { tokens_in: 0, tokens_out: 0 };
      const tokens_in =
        asCount(usage['input_tokens']) +
        asCount(usage['cache_creation_input_tokens']) +
        Math.ceil(asCount(usage['cache_read_input_tokens']) / 10);
      const tokens_out = asCount(usage['output_tokens']);
      current = {
        id,
        tokens_in: Math.max(before.tokens_in, tokens_in),
        tokens_out: Math.max(before.tokens_out, tokens_out),
      };
      total.tokens_in += current.tokens_in - before.tokens_in;
      total.tokens_out += current.tokens_out - before.tokens_out;
    },
    total: (): Usage | undefined => (total.tokens_in + total.tokens_out > 0 ? { ...total } : undefined),
  };
}

/** Cached tokens are input tokens too. */
function readUsage(last: Event): Usage {
  const usage = isRecord(last['usage']) ? last['usage'] : {};
  const cost = last['total_cost_usd'];
  return {
    tokens_in:
      asCount(usage['input_tokens']) +
      asCount(usage['cache_creation_input_tokens']) +
      asCount(usage['cache_read_input_tokens']),
    tokens_out: asCount(usage['output_tokens']),
    ...(isCost(cost) && { cost_usd: cost }),
  };
}

function readRejection(info: unknown, now: Date): string | undefined {
  if (!isRecord(info) || info['status'] !== 'rejected') return undefined;
  const until = readEpoch(info['resetsAt']);
  return until && holdUntil(until, now);
}
