import { type DestinationStream, type Logger, pino } from 'pino';

/** One JSON line per event. Faults are told by what they are and where they began. */
export const createLogger = (
  level: string,
  base: Record<string, string>,
  destination?: DestinationStream,
): Logger =>
  pino(
    { level, base, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeFault } },
    destination,
  );

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
 * What a log may hold of a fault: never a stack, and of the database's complaints not their words, which repeat values
 * and pieces of SQL.
 */
function describeFault(fault: unknown): object {
  if (typeof fault !== 'object' || fault === null) return { type: typeof fault };
  const { name, message, code, severity, constraint, table, column, routine, stack, cause } =
    fault as FaultFields;
  const fromDatabase = typeof severity === 'string';
  return {
    type: name,
    code,
    ...(fromDatabase ? { constraint, table, column, routine } : { message: withoutTokens(message) }),
    at: typeof stack === 'string' ? origin(stack) : undefined,
    ...(cause !== undefined && cause !== fault && { cause: describeFault(cause) }),
  };
}

/** Our tokens are known by their prefix, wherever they were written. */
const withoutTokens = (message: unknown) =>
  typeof message === 'string' ? message.replace(/guild_[a-z]+_[\w-]+/g, 'guild_***') : undefined;

/** The first place in our own code, as `name file:line`, or the first place at all. */
function origin(stack: string): string | undefined {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const frame = frames.find((line) => !/node:|node_modules/.test(line)) ?? frames[0];
  const parts = frame && /^\s+at (?:async )?(?:(.+?) \()?(?:.*[/\\])?([^/\\]+?:\d+)(?::\d+)?\)?$/.exec(frame);
  return parts ? [parts[1], parts[2]].filter(Boolean).join(' ') : undefined;
}
