import { isObject } from '../../kernel/is-object.js';
import { Answer } from '../../platform/http/answer/answers.js';
import type { ToolAnswer } from './calls.js';
import { InvalidParams } from './operations.js';

type Headers = Record<string, string | string[] | undefined>;

/** A valid `tools/call`, the most common message of agents, which is answered without the protocol SDK. */
export interface PlainCall {
  id: string | number;
  name: string;
  args: Record<string, unknown>;
  era: 'handshake' | 'envelope';
}

const HANDSHAKE_VERSIONS: readonly unknown[] = [undefined, '2025-03-26', '2025-06-18', '2025-11-25'];
const ENVELOPE_VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

/** Undefined for anything unusual; the protocol SDK handles that and reports errors. */
export function readPlainCall(headers: Headers, body: unknown): PlainCall | undefined {
  if (!isObject(body) || body['jsonrpc'] !== '2.0' || body['method'] !== 'tools/call') return undefined;
  const { id, params } = body;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  if (!isObject(params) || typeof params['name'] !== 'string' || 'task' in params) return undefined;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  if (!isObject(args) || !isObject(meta) || !takesJson(headers['accept'])) return undefined;
  const era = eraOf(headers, name as string, meta);
  return era && { id: id as string | number, name: name as string, args, era };
}

function eraOf(headers: Headers, name: string, meta: Record<string, unknown>): PlainCall['era'] | undefined {
  const version = headers['mcp-protocol-version'];
  const claims = Object.keys(meta).some((key) => key.startsWith(META));
  if (!claims) return HANDSHAKE_VERSIONS.includes(version) ? 'handshake' : undefined;
  const isWhole =
    version === ENVELOPE_VERSION &&
    meta[`${META}protocolVersion`] === ENVELOPE_VERSION &&
    headers['mcp-method'] === 'tools/call' &&
    headers['mcp-name'] === name &&
    isObject(meta[`${META}clientCapabilities`]) &&
    isNamed(meta[`${META}clientInfo`]);
  return isWhole ? 'envelope' : undefined;
}

export const takesJson = (accept: string | string[] | undefined): boolean =>
  accept === undefined || /application\/(?:json|\*)|\*\/\*/i.test(String(accept));

const isNamed = (client: unknown): boolean =>
  isObject(client) && typeof client['name'] === 'string' && typeof client['version'] === 'string';

export async function answerPlainCall(
  { id, era }: PlainCall,
  version: string,
  work: () => Promise<ToolAnswer>,
): Promise<Answer> {
  const said = await work().then(
    (answer) => ({ result: era === 'envelope' ? { ...answer, ...signed(version) } : answer }),
    (error: unknown) => {
      if (!(error instanceof InvalidParams)) throw error;
      return { error: { code: error.code, message: error.message } };
    },
  );
  const text = JSON.stringify({ ...said, jsonrpc: '2.0', id });
  return new Answer(200, { kind: 'bytes', bytes: text, contentType: 'application/json' });
}

const signed = (version: string) => ({
  resultType: 'complete',
  _meta: { [`${META}serverInfo`]: { name: 'guildhall', version } },
});
