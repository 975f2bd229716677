import type { FinishReport, SaidLine, StartedBuild, Usage } from '../work/build-protocol.js';

/** What a coder needs to know about its build; the paths are as its own user sees them. */
export interface CoderJob {
  started: StartedBuild;
  /** The program, found on this desk. */
  executable: string;
  briefFile: string;
  resultFile: string;
  /** Where a custom coder may say what it has used so far. */
  usageFile: string;
  mcpConfigFile: string;
  home: string;
  /** Of the desk's own environment, what coders may see. */
  environment: Record<string, string>;
}

export interface CoderCommand {
  command: string[];
  environment: Record<string, string>;
}

/** How a coder's build ended, by the coder's own words. */
export type Verdict = Omit<FinishReport, 'outcome'> & { outcome: 'succeeded' | 'failed' };

export interface Exit {
  code: number | null;
  signal: string | null;
}

/** Reads what a coder writes to its standard output, one line at a time. */
export interface CoderReader {
  /** What of the line belongs in the log, with its line end; empty for nothing. */
  readLine(line: string): string;
  judge(exit: Exit): Verdict;
  /** What it has used so far, as far as it tells. */
  usage(): Usage | undefined;
}

export interface Coder {
  command(job: CoderJob): CoderCommand;
  /** Undefined where the output is the log as it is, and the result comes by a file. */
  createReader?(now: () => Date): CoderReader;
}

export const describeExit = ({ code, signal }: Exit): string =>
  signal ? `by signal ${signal}` : `with exit code ${code}`;

const MOST_LINES = 200;
const LONGEST_LINE = 4_000;
const LONGEST_RESULT = 10_000;
const LONGEST_REASON = 500;

/** What is to be learned from is what the coder said; the brief is not in it, or memories would be learned from themselves. */
export function createConversation(now: () => Date) {
  const lines: SaidLine[] = [];
  return {
    say(content: string): void {
      const text = clip(content.trim(), LONGEST_LINE);
      if (text === '') return;
      lines.push({ role: 'assistant', content: text, at: now().toISOString() });
      // Beginning and end tell more than the middle.
      if (lines.length > MOST_LINES) lines.splice(MOST_LINES / 2, 1);
    },
    lines: (): SaidLine[] => lines,
  };
}

export const clipResult = (text: string): string => clip(text, LONGEST_RESULT);
export const clipReason = (text: string): string => clip(text.replace(/\s+/g, ' ').trim(), LONGEST_REASON);

/** No database takes a zero byte or half a character. */
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
