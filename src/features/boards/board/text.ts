const EXCERPT_CHARACTERS = 200;

export function excerptOf(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  if (text.length <= EXCERPT_CHARACTERS) return text;
  // A character has at most two code units.
  return [...text.slice(0, EXCERPT_CHARACTERS * 2)].slice(0, EXCERPT_CHARACTERS).join('');
}

/** The distinct values of a comma-separated parameter, or undefined when it is empty. */
export function splitList(text: string | undefined): string[] | undefined {
  const values = [...new Set((text ?? '').split(',').map((value) => value.trim()))].filter(
    (value) => value !== '',
  );
  return values.length > 0 ? values : undefined;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?$/;

/** Reads an ISO 8601 time; without an offset it is UTC. */
export function parseInstant(text: string): Date | undefined {
  if (!INSTANT.test(text)) return undefined;
  const zoned = /[Zz]$|[+-]\d{2}:?\d{2}$/.test(text.slice(10)) ? text : `${text}Z`;
  const instant = new Date(zoned.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  const valid =
    !Number.isNaN(instant.getTime()) && instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999;
  return valid ? instant : undefined;
}
