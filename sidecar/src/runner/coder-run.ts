import { StringDecoder } from 'node:string_decoder';
import type { CoderCommand, CoderSession, Exit, ProgramInput } from '../coders/driver.js';
import type { LogWriter } from '../spool/log-writer.js';
import { type Cell, startInCell } from './isolation.js';
import { endTree, signalTree, type Tree } from './process-tree.js';

interface CoderRun {
  cell: Cell;
  coder: CoderCommand;
  folder: string;
  buildId: string;
  wallMinutes: number;
  canceled: AbortSignal;
  log: LogWriter;
  /** Opens a session, which calls `over` when no work remains. Without it, all output goes into the log. */
  open?(input: ProgramInput, over: () => void): CoderSession;
  /** Called when the program has printed something. */
  noted?(): void;
}

export interface CoderEnd {
  exit: Exit;
  why: 'itself' | 'canceled' | 'timed_out';
}

const GRACE_MS = 10_000;
const STREAMS_MS = 2_000;
const CLOSING_MS = 2_000;
const LONGEST_PIECE = 64 * 1024;
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Runs the coder until it exits, is canceled or times out. None of its processes remain when this resolves.
 */
export async function runCoder(run: CoderRun): Promise<CoderEnd> {
  const { cell, coder, folder, log, canceled } = run;
  const child = startInCell(cell, { ...coder, folder });
  const tree: Tree = { uid: cell.uid, buildId: run.buildId, leader: child.pid };
  child.stdin?.on('error', () => {});
  let declareOver = () => {};
  const over = new Promise<void>((resolve) => {
    declareOver = resolve;
  });
  const input = {
    write: (text: string): void => void child.stdin?.write(text),
    end: (): void => void child.stdin?.end(),
  };
  const session = run.open?.(input, declareOver);
  if (!session) input.end();
  const output = session ? readText(session.longestLine, session.read) : readText(LONGEST_PIECE, log.write);
  const errors = readText(LONGEST_PIECE, log.write);
  child.stdout?.on('data', output.push);
  child.stderr?.on('data', errors.push);
  if (run.noted) for (const stream of [child.stdout, child.stderr]) stream?.on('data', run.noted);

  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => {
      log.write(`The coder could not be started: ${error.message}\n`);
      resolve({ code: 127, signal: null });
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const closed = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });

  const why = await endsBy(Promise.race([exited, over]), canceled, run.wallMinutes * 60_000);
  if (why === 'itself') {
    // A program that waits for more input exits when its input ends.
    input.end();
    await within(CLOSING_MS, exited);
  } else if (session?.cancel()) await within(GRACE_MS, Promise.race([exited, over]));
  else {
    signalTree(tree, 'TERM');
    await within(GRACE_MS, exited);
  }
  await endTree(tree);
  const exit = await within(STREAMS_MS, exited);
  await within(STREAMS_MS, closed);
  output.end();
  errors.end();
  return { exit: exit ?? { code: null, signal: 'SIGKILL' }, why };
}

function endsBy(ended: Promise<unknown>, canceled: AbortSignal, limit: number): Promise<CoderEnd['why']> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('timed_out'), Math.min(limit, LONGEST_TIMER_MS));
    const end = (why: CoderEnd['why']) => {
      clearTimeout(timer);
      canceled.removeEventListener('abort', cancel);
      resolve(why);
    };
    const cancel = () => end('canceled');
    if (canceled.aborted) return cancel();
    canceled.addEventListener('abort', cancel);
    void ended.then(() => end('itself'));
  });
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  const first = await Promise.race([promise, deadline]);
  clearTimeout(timer);
  return first;
}

/** Passes on whole lines so that two streams do not interleave; splits a line beyond the limit. */
function readText(longest: number, take: (lines: string) => void) {
  const decoder = new StringDecoder('utf8');
  let rest = '';

  function add(text: string): void {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) {
      take(rest + text.slice(0, end));
      rest = '';
    }
    rest += text.slice(end);
    if (rest.length <= longest) return;
    take(rest);
    rest = '';
  }

  return {
    push: (chunk: Buffer): void => add(decoder.write(chunk).replaceAll('\0', '\ufffd')),
    end(): void {
      add(decoder.end());
      if (rest !== '') take(`${rest}\n`);
      rest = '';
    },
  };
}
