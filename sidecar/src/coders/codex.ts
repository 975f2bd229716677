import { isRecord, type Usage } from '../work/build-protocol.js';
import { asCount, asText, clipReason, clipResult, describeExit } from './coder.js';
import {
  type CoderDriver,
  type CoderLink,
  type CoderSession,
  describeIgnored,
  type Verdict,
} from './driver.js';
import { LONGEST_EVENT, readEventLines } from './event-lines.js';
import { findHold } from './provider-limits.js';

type Event = Record<string, unknown>;

const LONGEST_OUTPUT = 2_000;

/** Quotes a string for TOML, which matches JSON for these characters. */
const quote = (value: string): string => JSON.stringify(value);

/** Codex in non-interactive mode, with its own sandbox turned off because the cell isolates it. */
export const codex: CoderDriver = {
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

  open: openCodex,
};

function openCodex({ job, secrets, emit, now, input }: CoderLink): CoderSession {
  const usage = { tokens_in: 0, tokens_out: 0 };
  let ended: 'completed' | 'failed' | undefined;
  let complaint = '';
  let lastSaid = '';
  let count = 0;

  const note = (text: string) => emit({ type: 'note', text });
  const ignored = describeIgnored(job.started.settings, ['model', 'effort']);
  if (ignored) note(ignored);

  function takeEvent(event: Event): void {
    switch (event['type']) {
      case 'thread.started':
        note('Codex\n');
        break;
      case 'turn.started':
        ended = undefined;
        break;
      case 'turn.completed':
        ended = 'completed';
        addUsage(event['usage']);
        note('[completed]\n');
        break;
      case 'turn.failed':
        ended = 'failed';
        complaint = isRecord(event['error']) ? asText(event['error']['message']) : complaint;
        note(`[failed] ${complaint}\n`);
        break;
      case 'error':
        // Codex may retry after an error; only the end of the turn decides.
        complaint = asText(event['message']);
        note(`! ${complaint}\n`);
        break;
      case 'item.completed':
        if (isRecord(event['item'])) takeItem(event['item']);
    }
  }

  function addUsage(value: unknown): void {
    if (!isRecord(value)) return;
    usage.tokens_in += asCount(value['input_tokens']);
    usage.tokens_out += asCount(value['output_tokens']);
  }

  function takeItem(item: Event): void {
    count += 1;
    const tool = (title: string) => emit({ type: 'tool', id: String(count), title, status: 'completed' });
    if (item['type'] === 'agent_message') {
      lastSaid = asText(item['text']);
      emit({ type: 'message', id: String(count), text: lastSaid });
    } else if (item['type'] === 'command_execution') {
      tool(`${asText(item['command'])} (${String(item['exit_code'] ?? '')})`);
      const output = asText(item['aggregated_output']).slice(0, LONGEST_OUTPUT);
      if (output) note(`${output}\n`);
    } else if (item['type'] === 'mcp_tool_call') tool(`${asText(item['server'])}.${asText(item['tool'])}`);
    else if (item['type'] === 'file_change') tool(describeChanges(item['changes']));
  }

  const used = (): Usage | undefined => (usage.tokens_in + usage.tokens_out > 0 ? { ...usage } : undefined);

  return {
    longestLine: LONGEST_EVENT,
    read: readEventLines({ secrets, emit }, takeEvent),
    send(text) {
      input.write(text);
      input.end();
    },
    cancel: () => false,
    usage: used,

    judge(exit): Verdict {
      const tokens = used();
      const shared = {
        ...(lastSaid && { result: clipResult(lastSaid) }),
        ...(tokens && { usage: tokens }),
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
