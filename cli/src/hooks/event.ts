import type { Checkout } from '../checkout.js';
import type { Service } from '../service.js';

export type Program = 'claude' | 'codex';
export const isProgram = (word: string | undefined): word is Program => word === 'claude' || word === 'codex';

/** The fields of the program's event on stdin that hooks use. */
export interface Said {
  session_id?: string | undefined;
  transcript_path?: string | undefined;
  cwd?: string | undefined;
  source?: string | undefined;
  tool_input: Record<string, unknown>;
}

export interface HookContext {
  said: Said;
  program: Program;
  folder: string;
  checkout: Checkout;
  service: Service;
  agentId(): Promise<string>;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
}

/** Returns the text to show the program, if any. */
export type Hook = (context: HookContext) => Promise<string | undefined>;

const MOST_BYTES = 16 * 1024 * 1024;

/** Holds the event for a detached process that continues after its hook has exited. */
export const LATE_EVENT = 'GUILDHALL_LATE_EVENT';

export async function readEvent(env: Record<string, string | undefined>): Promise<Said> {
  const given = parse(env[LATE_EVENT] ?? (process.stdin.isTTY ? '' : await readStdin()));
  const text = (name: string) => (typeof given[name] === 'string' ? (given[name] as string) : undefined);
  const input = given['tool_input'];
  return {
    session_id: text('session_id'),
    transcript_path: text('transcript_path'),
    cwd: text('cwd'),
    source: text('source'),
    tool_input: isObject(input) ? input : typeof input === 'string' ? { command: input } : {},
  };
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
