import type { FinishReport, SaidLine, StartedBuild, Usage } from '../work/build-protocol.js';

/** The inputs of a coder's build; paths are as the build's user sees them. */
export interface CoderJob {
  started: StartedBuild;
  executable: string;
  briefFile: string;
  resultFile: string;
  /** A custom coder may write its usage here. */
  usageFile: string;
  mcpConfigFile: string;
  home: string;
  environment: Record<string, string>;
}

export interface CoderCommand {
  command: string[];
  environment: Record<string, string>;
}

/** The result of a build as the coder reports it. */
export type Verdict = Omit<FinishReport, 'outcome'> & { outcome: 'succeeded' | 'failed' };

export interface Exit {
  code: number | null;
  signal: string | null;
}

export interface CoderReader {
  /** Returns the text for the log including its line break; empty for none. */
  readLine(line: string): string;
  judge(exit: Exit): Verdict;
  /** Usage so far, if the coder reports it. */
  usage(): Usage | undefined;
}

export interface Coder {
  command(job: CoderJob): CoderCommand;
  /** Undefined when the output is logged unchanged and the result comes from a file. */
  createReader?(now: () => Date): CoderReader;
}

export const describeExit = ({ code, signal }: Exit): string =>
  signal ? `by signal ${signal}` : `with exit code ${code}`;

const MOST_LINES = 200;
const LONGEST_LINE = 4_000;
const LONGEST_RESULT = 10_000;
const LONGEST_REASON = 500;

/**
 * Collects what the coder says for learning. Leaves out the brief, because it contains memories that would be
 * learned again.
 */
export function createConversation(now: () => Date) {
  const lines: SaidLine[] = [];
  return {
    say(content: string): void {
      const text = clip(content.trim(), LONGEST_LINE);
      if (text === '') return;
      lines.push({ role: 'assistant', content: text, at: now().toISOString() });
      // Drop the middle: the start and the end matter most.
      if (lines.length > MOST_LINES) lines.splice(MOST_LINES / 2, 1);
    },
    lines: (): SaidLine[] => lines,
  };
}

export const clipResult = (text: string): string => clip(text, LONGEST_RESULT);
export const clipReason = (text: string): string => clip(text.replace(/\s+/g, ' ').trim(), LONGEST_REASON);

/** Databases reject zero bytes and unpaired surrogates. */
export function clip(text: string, longest: number): string {
  const clean = text.replaceAll('\0', '\ufffd');
  const short = clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean;
  return short.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

export const asCount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

export const isCost = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
