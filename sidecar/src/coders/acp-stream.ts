import type { Secrets } from '../spool/secret-filter.js';
import { parseEvent } from './event-lines.js';

const LONGEST_MESSAGE = 1024 * 1024;
const LONGEST_BANNER = 64 * 1024;
const LONGEST_SHOWN = 200;
const TOO_LONG = 'The coder sent a message of more than 1 MiB';

/** A protocol violation by the program. */
export class AcpFailure extends Error {}

interface AcpStreamOptions {
  secrets: Secrets;
  note(line: string): void;
  write(text: string): void;
  /** Gets each message before the ACP package validates it. */
  look(message: Record<string, unknown>): void;
  fail(reason: string): void;
}

/**
 * Exchanges messages with the program, one per line. The stream of the ACP package answers an unreadable
 * message and keeps waiting; this one ends the build with a reason instead.
 */
export function createAcpStream({ secrets, note, write, look, fail }: AcpStreamOptions) {
  let controller!: ReadableStreamDefaultController<unknown>;
  let isBroken = false;
  /** How many more characters of other output are allowed; zero after the program's first answer. */
  let banner = LONGEST_BANNER;

  const readable = new ReadableStream<unknown>({
    start: (own) => {
      controller = own;
    },
  });
  const writable = new WritableStream<unknown>({
    write: (message) => write(`${JSON.stringify(message)}\n`),
  });

  function readLine(line: string): void {
    if (isBroken || line.trim() === '') return;
    if (line.length > LONGEST_MESSAGE) {
      fail(TOO_LONG);
      return;
    }
    const message = parseEvent(line, secrets);
    if (message?.['jsonrpc'] === '2.0') {
      look(message);
      controller.enqueue(message);
      return;
    }
    const shown = secrets.mask(line).slice(0, LONGEST_SHOWN);
    if (banner > 0) {
      banner -= line.length;
      note(secrets.mask(line));
      if (banner <= 0) fail('The coder printed more than 64 KiB before its first answer');
    } else if (message || !line.trimStart().startsWith('{'))
      fail(`The coder printed output that is not part of the protocol: ${shown}`);
    else fail(`The coder sent a message that is not valid JSON: ${shown}`);
  }

  return {
    readable,
    writable,
    longestLine: LONGEST_MESSAGE,
    read(text: string): void {
      if (!text.endsWith('\n')) fail(TOO_LONG);
      else for (const line of text.slice(0, -1).split('\n')) readLine(line);
    },
    /** Ignores all further output. */
    stop(): void {
      isBroken = true;
    },
    endBanner(): void {
      banner = 0;
    },
  };
}
