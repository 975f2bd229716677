const LEVELS: Record<number, string> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

interface LoggedFault {
  type?: string;
  code?: string;
  message?: string;
  at?: string;
  cause?: LoggedFault;
}

/** Formats a log event for people: time, level, message and fields. */
export function describeLine(json: string): string {
  const { level, time, msg = '', role: _role, err, ...fields } = JSON.parse(json);
  const facts = [...Object.entries(fields).map(([name, value]) => fact(name, value)), ...faultFacts(err)];
  const words = `${String(time).slice(11, 23)} ${(LEVELS[level] ?? String(level)).padEnd(5)} ${printable(msg)}`;
  return `${[words, ...(facts.length > 0 ? ['', ...facts] : [])].join(' ')}\n`;
}

const fact = (name: string, value: unknown): string => `${printable(name)}=${describeValue(value)}`;

function describeValue(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@{}*-]+$/.test(value)) return value;
  return printable(JSON.stringify(value));
}

function faultFacts(fault: LoggedFault | undefined, name = 'err'): string[] {
  if (!fault) return [];
  const { type = 'Error', code, message, at, cause, ...details } = fault;
  return [
    fact(name, [code ? `${type} ${code}` : type, message].filter(Boolean).join(': ')),
    ...(at ? [`at=${printable(at)}`] : []),
    ...Object.entries(details).map(([detail, value]) => fact(detail, value)),
    ...faultFacts(cause, 'cause'),
  ];
}

/** Escapes characters that would move the cursor or start another line. */
const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
