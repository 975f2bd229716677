import { GuildhallError } from '../../../client/src/index.js';
import type { Call, Command } from '../command.js';
import { misuse } from '../failure.js';
import { readPiped, readTextFile } from '../input.js';
import { readPair } from './cards.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const api: Command = {
  use: 'api <method> <path>',
  about:
    'Make an authenticated API request and print the response. /docs on the server lists the operations.',
  examples: [
    'guildhall api GET /api/v1/me',
    'guildhall api POST /api/v1/board/boards --field name=Nightly',
    'guildhall api PATCH /api/v1/board/tasks/$ID --input change.json',
  ],
  options: [
    ['--field <name=value>...', 'A query parameter for GET and DELETE, else a field of the JSON body'],
    ['--input <file>', 'The file with the request body; - reads standard input'],
  ],
  async run(call) {
    const method = call.args[0]!.toUpperCase();
    if (!METHODS.includes(method))
      throw misuse(`Unknown method: ${method}`, `Use one of: ${METHODS.join(', ')}`);
    const given = call.args[1]!;
    if (!given.startsWith('/') || given.startsWith('//')) throw misuse('The path must start with a single /');
    const { path, body } = await readRequest(call, method, given);
    const response = await call.service().request(method, path, { body, signal: call.signal });
    const text = await response.text();
    if (!response.ok) throw refusal(response, text);
    show(call, response, text);
  },
};

async function readRequest(
  { options, signal }: Call,
  method: string,
  path: string,
): Promise<{ path: string; body?: string }> {
  const fields = options.many('field')?.map(readPair);
  const input = options.text('input');
  if (input !== undefined && fields) throw misuse('Cannot use --field together with --input');
  if (input !== undefined)
    return { path, body: input === '-' ? await readPiped(signal) : readTextFile(input) };
  if (!fields) return { path };
  if (method !== 'GET' && method !== 'DELETE')
    return { path, body: JSON.stringify(Object.fromEntries(fields)) };
  const query = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]));
  return { path: `${path}${path.includes('?') ? '&' : '?'}${query}` };
}

function refusal(response: Response, text: string): GuildhallError {
  let detail: string | Record<string, unknown> = `The service returned status ${response.status}`;
  try {
    detail = (JSON.parse(text) as { detail?: string }).detail ?? detail;
  } catch {
    // The answer is not from Guildhall: a proxy in between may return its own error pages.
  }
  const requestId = response.headers.get('x-request-id') ?? undefined;
  return new GuildhallError({ status: response.status, detail, requestId });
}

/** Indents JSON and prints anything else unchanged. */
function show(call: Call, response: Response, text: string): void {
  if (response.headers.get('content-type')?.includes('json')) call.out.data(JSON.parse(text));
  else call.out.document(text);
}
