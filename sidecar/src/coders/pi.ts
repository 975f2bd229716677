import { isRecord } from '../work/build-protocol.js';
import { asCount, asText, clipReason, clipResult, describeExit, isCost, shorten } from './coder.js';
import {
  type CoderDriver,
  type CoderLink,
  type CoderSession,
  describeIgnored,
  type Verdict,
} from './driver.js';
import { LONGEST_EVENT, readEventLines } from './event-lines.js';
import { PI_TOOLS } from './pi-tools.js';
import { findHold } from './provider-limits.js';

type Event = Record<string, unknown>;

const LONGEST_INPUT = 300;
const LONGEST_OUTPUT = 2_000;

/** Pi in RPC mode. Pi does not support MCP, so an extension provides Guildhall's tools. */
export const pi: CoderDriver = {
  command({ started, executable, model, extensionFile, environment }) {
    const { effort } = started.settings;
    return {
      command: [
        executable,
        ...['--mode', 'rpc', '--no-session', '--offline', '--extension', extensionFile],
        ...(model ? ['--model', model] : []),
        ...(effort ? ['--thinking', effort === 'max' ? 'xhigh' : effort] : []),
      ],
      environment: { ...environment, GUILDHALL_MCP_URL: started.mcp.url, PI_TELEMETRY: '0' },
      files: { [extensionFile]: PI_TOOLS },
    };
  },

  open: openPi,
};

function openPi({ job, secrets, emit, now, input }: CoderLink): CoderSession {
  const { settings } = job.started;
  const guard = settings.maxTurns ?? settings.maxSteps;
  const used = { tokens_in: 0, tokens_out: 0, cost_usd: 0 };
  let hasUsed = false;
  let isPrompted = false;
  let isRetrying = false;
  let isCanceled = false;
  let isOver = false;
  let turns = 0;
  let count = 0;
  let said = '';
  let stopReason = '';
  let complaint: string | undefined;
  let isDone = false;

  const note = (text: string) => emit({ type: 'note', text });
  const command = (message: object) => input.write(`${JSON.stringify(message)}\n`);
  note(`Pi\n${describeIgnored(settings, ['model', 'effort', 'max_turns', 'max_steps'])}`);

  function takeEvent(event: Event): void {
    if (isOver) return;
    switch (event['type']) {
      case 'message_end':
        if (isRecord(event['message']) && event['message']['role'] === 'assistant')
          takeMessage(event['message']);
        break;
      case 'tool_execution_start':
        emit({
          type: 'tool',
          id: asText(event['toolCallId']),
          title: `${asText(event['toolName'])} ${shorten(JSON.stringify(event['args'] ?? {}), LONGEST_INPUT)}`,
          status: 'in_progress',
        });
        break;
      case 'tool_execution_end':
        if (event['toolName'] === 'guildhall_done' && !event['isError']) isDone = true;
        emit({
          type: 'tool',
          id: asText(event['toolCallId']),
          status: event['isError'] ? 'failed' : 'completed',
          output: shorten(textOf(event['result']), LONGEST_OUTPUT),
        });
        break;
      case 'turn_end':
        takeTurn(event['toolResults']);
        break;
      case 'auto_retry_start':
        isRetrying = true;
        note(`! ${asText(event['errorMessage'])}\n`);
        break;
      case 'auto_retry_end':
        isRetrying = false;
        break;
      case 'agent_end':
        // Only the state shows whether Pi retries or has more to do.
        command({ type: 'get_state' });
        break;
      case 'response':
        takeResponse(event);
        break;
      case 'extension_ui_request':
        // No person is there to answer.
        command({ type: 'extension_ui_response', id: event['id'], cancelled: true });
        break;
      case 'extension_error':
        note(`! ${asText(event['error'])}\n`);
        break;
    }
  }

  function takeMessage(message: Event): void {
    count += 1;
    stopReason = asText(message['stopReason']);
    complaint = stopReason === 'error' ? asText(message['errorMessage']) : undefined;
    const text = textOf(message);
    if (text) {
      said = text;
      emit({ type: 'message', id: String(count), text });
    }
    if (isRecord(message['usage'])) addUsage(message['usage']);
  }

  function addUsage(usage: Event): void {
    hasUsed = true;
    used.tokens_in += asCount(usage['input']) + asCount(usage['cacheRead']) + asCount(usage['cacheWrite']);
    used.tokens_out += asCount(usage['output']);
    const cost = isRecord(usage['cost']) ? usage['cost']['total'] : undefined;
    if (isCost(cost)) used.cost_usd += cost;
  }

  /** Pi has no turn limit, so this driver enforces it. */
  function takeTurn(results: unknown): void {
    turns += 1;
    const goesOn = Array.isArray(results) && results.length > 0;
    if (!guard || turns < guard || !goesOn) return;
    complaint = `The coder reached its limit of ${guard} turns`;
    command({ type: 'abort' });
    end();
  }

  function takeResponse({ command: answered, success, error, data }: Event): void {
    if (success === false) {
      complaint = asText(error) || `The coder rejected the ${asText(answered)} command`;
      note(`! ${complaint}\n`);
      end();
      return;
    }
    if (answered !== 'get_state' || !isRecord(data) || isRetrying) return;
    if (data['isStreaming'] || data['isCompacting'] || asCount(data['pendingMessageCount']) > 0) return;
    isOver = true;
    emit({ type: 'state', state: 'idle' });
  }

  function end(): void {
    isOver = true;
    emit({ type: 'end' });
  }

  return {
    longestLine: LONGEST_EVENT,
    read: readEventLines({ secrets, emit }, takeEvent),
    send(message) {
      command({ type: isPrompted ? 'steer' : 'prompt', message });
      isPrompted = true;
      emit({ type: 'state', state: 'running' });
    },
    cancel() {
      if (isOver) return false;
      isCanceled = true;
      command({ type: 'abort' });
      return true;
    },
    usage: () => (hasUsed ? { ...used } : undefined),

    judge(exit): Verdict {
      const result = said && { result: clipResult(said) };
      if (isOver && !isCanceled && complaint === undefined && stopReason !== 'length') {
        const unchanged = said ? 'Ended without a change' : 'Ended without a change and without a word';
        return { outcome: 'succeeded', ...result, ...(!isDone && { unchanged }) };
      }
      const reason =
        complaint ||
        (isOver
          ? `The coder stopped: ${stopReason}`
          : `The coder ended ${describeExit(exit)} and without a result`);
      const hold = findHold(reason, now());
      return { outcome: 'failed', reason: clipReason(reason), ...result, ...(hold && { held_until: hold }) };
    },
  };
}

const textOf = (holder: unknown): string =>
  isRecord(holder) && Array.isArray(holder['content'])
    ? holder['content']
        .filter(isRecord)
        .filter(({ type }) => type === 'text')
        .map(({ text }) => asText(text))
        .join('\n')
    : '';
