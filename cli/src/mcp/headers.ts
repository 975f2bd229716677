export interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
}

const META = 'io.modelcontextprotocol/protocolVersion';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Over HTTP, MCP repeats parts of the message in headers: the protocol version, which newer clients send with
 * each message and older ones negotiate in `initialize`, and for newer clients the method and name.
 */
export function headersFor({ method, params }: Message, agreed: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const meta = isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
  const own = meta[META];
  const version = typeof own === 'string' ? own : agreed;
  if (version !== undefined) headers['mcp-protocol-version'] = version;
  if (typeof own !== 'string' || method === undefined) return headers;
  headers['mcp-method'] = method;
  const name = isObject(params) ? (params['name'] ?? params['uri']) : undefined;
  if (typeof name === 'string') headers['mcp-name'] = asHeader(name);
  return headers;
}

/** A header can hold only visible ASCII; MCP wraps other text in base64. */
const asHeader = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;
