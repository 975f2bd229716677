import { isRecord, parseObject, type Usage } from '../work/build-protocol.js';
import {
  asCount,
  asText,
  type Coder,
  type CoderReader,
  clipReason,
  clipResult,
  createConversation,
  describeExit,
  type Verdict,
} from './coder.js';
import { findHold } from './provider-limits.js';

type Event = Record<string, unknown>;

const LONGEST_OUTPUT = 2_000;

/** Quotes a string for TOML, which matches JSON for these characters. */
const quote = (value: string): string => JSON.stringify(value);

/** Codex in non-interactive mode, with its own sandbox turned off because the cell isolates it. */
export const codex: Coder = {
  command({ started, executable, home, environment }) {
    const { model, effort } = started.settings;
    const baseUrl = environment['OPENAI_BASE_URL'];
    const settings = [
      `mcp_servers.guildhall.url=${quote(started.mcp.url)}`,
      'mcp_servers.guildhall.bearer_token_env_var="GUILDHALL_MCP_TOKEN"',
      ...(effort ? [`model_reasoning_effort=${quote(effort)}`] : []),
      // Codex ignores the usual environment variable for the endpoint.
      ...(baseUrl ? [`openai_base_url=${quote(baseUrl)}`] : []),
    ];
    return {
      command: [
        executable,
        'exec',
        '--json',
        '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox',
        ...(model ? ['--model', model] : []),
        ...settings.flatMap((setting) => ['-c', setting]),
        '-',
      ],
      environment: { ...environment, CODEX_HOME: `${home}/.codex` },
    };
  },

  createReader: createCodexReader,
};

function createCodexReader(now: () => Date): CoderReader {
  const conversation = createConversation(now);
  const usage: Usage = { tokens_in: 0, tokens_out: 0 };
  let ended: 'completed' | 'failed' | undefined;
  let complaint = '';
  let lastSaid = '';

  function readEvent(event: Event): string {
    switch (event['type']) {
      case 'thread.started':
        return 'Codex\n';
      case 'turn.started':
        ended = undefined;
        return '';
      case 'turn.completed':
        ended = 'completed';
        addUsage(event['usage']);
        return '[completed]\n';
      case 'turn.failed':
        ended = 'failed';
        complaint = isRecord(event['error']) ? asText(event['error']['message']) : complaint;
        return `[failed] ${complaint}\n`;
      case 'error':
        // Codex may retry after an error; only the end of the turn decides.
        complaint = asText(event['message']);
        return `! ${complaint}\n`;
      case 'item.completed':
        return isRecord(event['item']) ? readItem(event['item']) : '';
      default:
        return '';
    }
  }

  function addUsage(value: unknown): void {
    if (!isRecord(value)) return;
    usage.tokens_in += asCount(value['input_tokens']);
    usage.tokens_out += asCount(value['output_tokens']);
  }

  function readItem(item: Event): string {
    if (item['type'] === 'agent_message') {
      lastSaid = asText(item['text']);
      conversation.say(lastSaid);
      return `${lastSaid}\n`;
    }
    if (item['type'] === 'command_execution') {
      const output = asText(item['aggregated_output']).slice(0, LONGEST_OUTPUT);
      return `> ${asText(item['command'])} (${String(item['exit_code'] ?? '')})\n${output && `${output}\n`}`;
    }
    if (item['type'] === 'mcp_tool_call') return `> ${asText(item['server'])}.${asText(item['tool'])}\n`;
    if (item['type'] === 'file_change') return `> ${describeChanges(item['changes'])}\n`;
    return '';
  }

  return {
    readLine(line) {
      const event = parseObject(line);
      return event ? readEvent(event) : `${line}\n`;
    },

    usage: () => (usage.tokens_in + usage.tokens_out > 0 ? { ...usage } : undefined),

    judge(exit): Verdict {
      const said = conversation.lines();
      const shared = {
        ...(lastSaid && { result: clipResult(lastSaid) }),
        ...(usage.tokens_in + usage.tokens_out > 0 && { usage }),
        ...(said.length > 0 && { conversation: said }),
      };
      if (ended === 'completed') return { outcome: 'succeeded', ...shared };
      const hold = findHold(complaint, now());
      return {
        outcome: 'failed',
        reason: clipReason(complaint || `The coder ended ${describeExit(exit)} and without a result`),
        ...shared,
        ...(hold && { held_until: hold }),
      };
    },
  };
}

const describeChanges = (changes: unknown): string =>
  Array.isArray(changes)
    ? changes
        .filter(isRecord)
        .map((change) => `${asText(change['kind'])} ${asText(change['path'])}`)
        .join(', ')
    : '';
