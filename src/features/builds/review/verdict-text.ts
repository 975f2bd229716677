import { ApiError } from '../../../kernel/errors.js';
import { bodyValidator } from '../../../platform/http/request/validation.js';
import { LONGEST_REMARK, MOST_REMARKS, Verdict } from '../review.schemas.js';

const validate = bodyValidator(Verdict);
const LONGEST_TEXT = 512 * 1024;
const MOST_TRIES = 50;

/** Reads the whole text, or the last JSON object in it that is a verdict. */
export function readVerdict(text: string | null | undefined): Verdict | undefined {
  if (!text || text.length > LONGEST_TEXT || !text.includes('"verdict"')) return undefined;
  const whole = readObject(text);
  if (whole) return whole;
  const end = text.lastIndexOf('}');
  let tries = 0;
  for (
    let at = text.lastIndexOf('{', end);
    at >= 0 && tries < MOST_TRIES;
    at = text.lastIndexOf('{', at - 1)
  ) {
    tries += 1;
    const found = readObject(text.slice(at, end + 1));
    if (found) return found;
    if (at === 0) break;
  }
  return undefined;
}

function readObject(text: string): Verdict | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  return normalizeVerdict(content);
}

/** Fills in what models leave out. */
export function normalizeVerdict(content: unknown): Verdict | undefined {
  if (typeof content !== 'object' || content === null || !('verdict' in content)) return undefined;
  const { verdict, comments } = content as { verdict: unknown; comments?: unknown };
  const remarks = (Array.isArray(comments) ? comments : []).slice(0, MOST_REMARKS).flatMap((one: unknown) => {
    const { path, line, body, severity } = (one ?? {}) as Record<string, unknown>;
    if (typeof path !== 'string' || typeof body !== 'string' || body.trim() === '') return [];
    const weight = ['info', 'minor', 'major', 'critical'].includes(String(severity)) ? severity : 'info';
    return [
      {
        path: path.slice(0, 1000).toWellFormed(),
        ...(Number.isInteger(line) && { line }),
        body: body.slice(0, LONGEST_REMARK).toWellFormed().replaceAll('\0', ' '),
        severity: weight,
      },
    ];
  });
  const settled = { verdict, comments: remarks };
  try {
    validate(settled);
    return settled as Verdict;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}
