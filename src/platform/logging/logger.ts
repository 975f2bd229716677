import { type DestinationStream, type Logger, pino } from 'pino';
import { systemClock } from '../../kernel/clock.js';
import { describeLine } from './log-line.js';

interface LoggerOptions {
  level: string;
  format: 'json' | 'pretty';
  base?: Record<string, string>;
}

/** Writes one line per event. Errors are logged with their type and origin. */
export const createLogger = (
  { level, format, base = {} }: LoggerOptions,
  destination?: DestinationStream,
): Logger =>
  pino(
    {
      level,
      base,
      timestamp: timeField,
      serializers: { err: describeFault },
      hooks: {
        streamWrite:
          format === 'json' ? withoutSecrets : (line: string) => describeLine(withoutSecrets(line)),
      },
    },
    destination,
  );

let writtenTime = 0;
let writtenField = '';

/** Cached, because many lines share a millisecond. */
function timeField(): string {
  const now = systemClock.now();
  if (now.getTime() !== writtenTime) {
    writtenTime = now.getTime();
    writtenField = `,"time":"${now.toISOString()}"`;
  }
  return writtenField;
}

interface FaultFields {
  name?: unknown;
  message?: unknown;
  code?: unknown;
  severity?: unknown;
  constraint?: unknown;
  table?: unknown;
  column?: unknown;
  routine?: unknown;
  stack?: unknown;
  cause?: unknown;
}

/**
 * Errors are logged without a stack, and database errors without their message, which repeats values and SQL.
 */
function describeFault(fault: unknown): object {
  if (typeof fault !== 'object' || fault === null) return { type: typeof fault };
  const { name, message, code, severity, constraint, table, column, routine, stack, cause } =
    fault as FaultFields;
  const fromDatabase = typeof severity === 'string';
  return {
    type: name,
    code,
    ...(fromDatabase ? { constraint, table, column, routine } : { message }),
    at: typeof stack === 'string' ? origin(stack) : undefined,
    ...(cause !== undefined && cause !== fault && { cause: describeFault(cause) }),
  };
}

/**
 * Guildhall's tokens by prefix, bearer tokens, the session cookie, passwords in URLs, and fields with names
 * such as `password`.
 */
const SECRETS =
  /guild_[a-z]{1,20}_[\w-]+|(Bearer )[\w.~+/=-]+|(guildhall_session=)[\w-]+|(:\/\/)[^\s/:@"\\]{0,200}:[^\s/@"\\]{1,200}@|("(?:authorization|cookie|set-cookie|x-admin-key|password|secret|token)":)(?:"(?:[^"\\]|\\.)*"|\[[^[\]]*\])/gi;

/** The last step before output, so that it removes credentials from the lines of every library. */
const withoutSecrets = (line: string): string =>
  line.replace(SECRETS, (_, bearer = '', cookie = '', address = '', field = '') =>
    field ? `${field}"***"` : `${bearer}${cookie}${address}***${address && '@'}`,
  );

const LONGEST_FRAME = 500;

/** Returns the first frame outside of Node and packages as `name file:line`, or the first frame. */
function origin(stack: string): string | undefined {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const frame = frames.find((line) => !/node:|node_modules/.test(line)) ?? frames[0];
  // Limited, because a message can look like a frame of any length.
  const parts =
    frame &&
    /^\s+at (?:async )?(?:(.+?) \()?(?:.*[/\\])?([^/\\]+?:\d+)(?::\d+)?\)?$/.exec(
      frame.slice(0, LONGEST_FRAME),
    );
  return parts ? [parts[1], parts[2]].filter(Boolean).join(' ') : undefined;
}
