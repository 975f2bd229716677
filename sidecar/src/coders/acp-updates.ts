import type { SessionUpdate, ToolCall, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { asText, shorten } from './coder.js';
import type { CoderEvent } from './driver.js';

const LONGEST_TITLE = 300;
const LONGEST_OUTPUT = 2_000;
const LONGEST_KEPT = 64 * 1024;

const STATUSES = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
} as const;

type Call = ToolCall | ToolCallUpdate;

export function describeTool({ title, locations }: Call): string {
  const files = (locations ?? []).map(({ path }) => path).filter((path) => !title?.includes(path));
  const text = (title ?? '').replace(/\s+/g, ' ').trim();
  return shorten(files.length > 0 ? `${text} (${files.join(', ')})` : text, LONGEST_TITLE);
}

function describeContent(content: ToolCallContent): string {
  if (content.type === 'diff')
    return content.oldText === null || content.oldText === undefined
      ? `wrote ${content.path}`
      : `changed ${content.path}`;
  if (content.type === 'content' && content.content.type === 'text') return content.content.text;
  return '';
}

function outputOf({ content, rawOutput }: Call): string {
  const text = (content ?? []).map(describeContent).filter(Boolean).join('\n');
  return shorten((text || asText(rawOutput)).trimEnd(), LONGEST_OUTPUT);
}

const WORDS_OF_DONE = ['mcp', 'server', 'tool', 'guildhall', 'done'];

/**
 * Programs spell the tool's name differently, so this accepts any order of the words that can be part of it.
 * A command that only mentions the tool contains other words.
 */
function isDoneTool({ title, name }: Call): boolean {
  const words = `${title ?? ''} ${name ?? ''}`
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
  return (
    words.includes('guildhall') &&
    words.includes('done') &&
    words.every((word) => WORDS_OF_DONE.includes(word))
  );
}

/** Converts ACP version 1 updates, whose messages may have no ids. */
export function createAcpUpdates(emit: (event: CoderEvent) => void) {
  const calls = new Map<string, Call>();
  let unnamed = 0;
  let isMessageOpen = false;
  let last = { id: '', text: '' };
  let isDone = false;

  function takeChunk(id: string | null | undefined, text: string, aside: boolean): void {
    if (!isMessageOpen) unnamed += 1;
    isMessageOpen = true;
    const name = `${aside ? 'aside ' : ''}${id ?? `message ${unnamed}`}`;
    if (!aside) {
      if (last.id !== name) last = { id: name, text: '' };
      if (last.text.length < LONGEST_KEPT) last.text += text;
    }
    emit({ type: 'message', id: name, text, append: true, aside });
  }

  function takeCall(update: Call): void {
    const before = calls.get(update.toolCallId);
    // Fields that did not change are missing or null in an update.
    const changed = Object.fromEntries(
      Object.entries(update).filter(([, value]) => value !== null && value !== undefined),
    );
    const call = { ...before, ...changed } as Call;
    calls.set(call.toolCallId, call);
    const status = STATUSES[call.status ?? 'pending'];
    const hasEnded = status === 'completed' || status === 'failed';
    if (hasEnded && (before?.status === 'completed' || before?.status === 'failed')) return;
    if (status === 'completed' && isDoneTool(call)) isDone = true;
    const title = describeTool(call);
    const output = hasEnded ? outputOf(call) : '';
    emit({
      type: 'tool',
      id: call.toolCallId,
      ...(title && { title }),
      status,
      ...((output || status === 'failed') && { output }),
    });
  }

  return {
    /** `aside` marks updates of child sessions. */
    take(update: SessionUpdate, aside: boolean): void {
      if (update.sessionUpdate === 'agent_message_chunk') {
        if (update.content.type === 'text') takeChunk(update.messageId, update.content.text, aside);
        return;
      }
      if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
        takeCall(update);
      else if (update.sessionUpdate === 'plan')
        emit({
          type: 'plan',
          steps: update.entries.map(({ content, status }) => ({
            text: content.replace(/\s+/g, ' ').trim(),
            status,
          })),
        });
      else if (update.sessionUpdate !== 'agent_thought_chunk') return;
      isMessageOpen = false;
    },
    lastMessage: (): string => last.text.trim(),
    isDone: (): boolean => isDone,
  };
}
