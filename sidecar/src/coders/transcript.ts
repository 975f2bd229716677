import type { Secrets } from '../spool/secret-filter.js';
import type { SaidLine } from '../work/build-protocol.js';
import { clip } from './coder.js';
import type { CoderEvent } from './driver.js';

interface TranscriptOptions {
  write(text: string): void;
  secrets: Secrets;
  now(): Date;
  /** Called with the completed share of the plan. */
  onProgress(percent: number): void;
}

const MOST_LINES = 200;
const LONGEST_LINE = 4_000;
const LONGEST_MESSAGE = 256 * 1024;
const LONGEST_WAIT = 16 * 1024;
const BOXES = { completed: '[x]', in_progress: '[~]', pending: '[ ]' } as const;

/** Turns the events of a session into the log for people and the conversation that lessons are learned from. */
export function createTranscript({ write, secrets, now, onProgress }: TranscriptOptions) {
  const said = new Map<string, SaidLine>();
  const titles = new Map<string, string>();
  /** The unfinished message and its last, incomplete line. */
  let open: { id: string; rest: string } | undefined;
  let plan = '';

  function remember(id: string, text: string, append: boolean): void {
    const before = said.get(id);
    if (before) {
      if (!append) before.content = text;
      else if (before.content.length < LONGEST_MESSAGE) before.content += text;
      return;
    }
    said.set(id, { role: 'assistant', content: text, at: now().toISOString() });
    // Drop from the middle, because the first and last messages matter most.
    if (said.size > MOST_LINES) said.delete([...said.keys()][MOST_LINES / 2]!);
  }

  function closeMessage(): void {
    if (open?.rest) write(`${open.rest}\n`);
    open = undefined;
  }

  function appendTo(id: string, text: string): void {
    if (open?.id !== id) {
      closeMessage();
      open = { id, rest: '' };
    }
    const whole = open!.rest + text;
    const end = whole.length > LONGEST_WAIT ? whole.length : whole.lastIndexOf('\n') + 1;
    if (end > 0) write(whole.slice(0, end));
    open!.rest = whole.slice(end);
  }

  function takeMessage({ id, text, append = false, aside }: CoderEvent & { type: 'message' }): void {
    if (append) appendTo(id, text);
    else {
      closeMessage();
      write(`${text}\n`);
    }
    if (!aside) remember(id, text, append);
  }

  /** A pending call is not logged yet, because its title can still change. */
  function takeTool({ id, title, status, output }: CoderEvent & { type: 'tool' }): void {
    const known = titles.get(id);
    if (title !== undefined && known === undefined && status !== 'pending') {
      titles.set(id, title);
      write(`> ${title}\n`);
    }
    if (output === undefined || (status !== 'completed' && status !== 'failed')) return;
    write(`${status === 'failed' ? '! ' : '< '}${output}\n`);
  }

  function takePlan({ steps }: CoderEvent & { type: 'plan' }): void {
    const text = steps.map((step) => `${BOXES[step.status]} ${step.text}\n`).join('');
    if (text === plan || steps.length === 0) return;
    plan = text;
    write(`Plan:\n${text}`);
    const done = steps.filter(({ status }) => status === 'completed').length;
    onProgress(Math.round((done / steps.length) * 100));
  }

  return {
    take(event: CoderEvent): void {
      if (event.type === 'message') takeMessage(event);
      else closeMessage();
      if (event.type === 'tool') takeTool(event);
      else if (event.type === 'plan') takePlan(event);
      else if (event.type === 'question') write(`? ${event.text} (${event.answer})\n`);
      else if (event.type === 'note') write(event.text);
    },

    /** Excludes the brief, which contains earlier lessons that must not be learned again. */
    conversation: (): SaidLine[] =>
      [...said.values()]
        .map((line) => ({ ...line, content: clip(secrets.mask(line.content).trim(), LONGEST_LINE) }))
        .filter(({ content }) => content !== ''),
  };
}
