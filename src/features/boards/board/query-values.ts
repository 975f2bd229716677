/** The values of a comma-separated parameter; blank ones do not count, and none at all is no filter. */
export function splitList(text: string | undefined): string[] | undefined {
  const values = [...new Set((text ?? '').split(',').map((value) => value.trim()))].filter(
    (value) => value !== '',
  );
  return values.length > 0 ? values : undefined;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?$/;

/** The instant that an ISO 8601 time names; without a zone it is UTC, like every time of the service. */
export function parseInstant(text: string): Date | undefined {
  if (!INSTANT.test(text)) return undefined;
  const zoned = /[Zz]$|[+-]\d{2}:?\d{2}$/.test(text.slice(10)) ? text : `${text}Z`;
  const instant = new Date(zoned.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  const valid =
    !Number.isNaN(instant.getTime()) && instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999;
  return valid ? instant : undefined;
}
