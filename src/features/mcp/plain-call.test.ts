import { describe, expect, it } from 'vitest';
import { readPlainCall } from './plain-call.js';

const META = 'io.modelcontextprotocol/';
const both = { accept: 'application/json, text/event-stream' };
const params = { name: 'list_boards', arguments: { limit: 1 } };
const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
const envelope: Record<string, unknown> = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'test', version: '1' },
  [`${META}clientCapabilities`]: {},
};
const modernHeaders = {
  ...both,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'list_boards',
};
const modern = { ...body, params: { ...params, _meta: envelope } };

describe('A valid tool call', () => {
  it.each([undefined, '2025-03-26', '2025-06-18', '2025-11-25'])('is read for protocol %s', (version) => {
    const headers = { ...both, ...(version && { 'mcp-protocol-version': version }) };
    const read = { id: 7, name: 'list_boards', args: { limit: 1 }, era: 'handshake' };
    expect(readPlainCall(headers, body)).toEqual(read);
  });

  it('is read for protocol 2026-07-28', () => {
    const read = { id: 7, name: 'list_boards', args: { limit: 1 }, era: 'envelope' };
    expect(readPlainCall(modernHeaders, modern)).toEqual(read);
  });

  it('may omit arguments and carry a progress token', () => {
    const bare = { ...body, id: 'a', params: { name: 'list_boards', _meta: { progressToken: 1 } } };
    expect(readPlainCall(both, bare)).toMatchObject({ id: 'a', args: {} });
  });
});

describe('Requests passed to the full protocol', () => {
  it.each<[string, unknown]>([
    ['a batch', [body]],
    ['another method', { ...body, method: 'tools/list' }],
    ['a notification', { jsonrpc: '2.0', method: 'tools/call', params }],
    ['an invalid id', { ...body, id: 1.5 }],
    ['another JSON-RPC version', { ...body, jsonrpc: '1.0' }],
    ['no name', { ...body, params: { arguments: {} } }],
    ['arguments that are a list', { ...body, params: { name: 'list_boards', arguments: [] } }],
    ['a task', { ...body, params: { ...params, task: {} } }],
    ['a faulty _meta', { ...body, params: { ...params, _meta: 'x' } }],
    ['an envelope without its headers', modern],
    ['nothing', undefined],
  ])('passes on %s', (_what, asked) => {
    expect(readPlainCall(both, asked)).toBeUndefined();
  });

  it.each<[string, Record<string, string>]>([
    ['an unknown version', { 'mcp-protocol-version': '2030-01-01' }],
    ['the new version without an envelope', { 'mcp-protocol-version': '2026-07-28' }],
    ['a client that accepts only events', { accept: 'text/event-stream' }],
  ])('passes on %s', (_what, headers) => {
    expect(readPlainCall({ ...both, ...headers }, body)).toBeUndefined();
  });

  it.each([
    { 'mcp-protocol-version': '2025-11-25' },
    { 'mcp-method': 'tools/list' },
    { 'mcp-name': 'get_task' },
  ])('passes on headers that contradict the envelope: %j', (headers) => {
    expect(readPlainCall({ ...modernHeaders, ...headers }, modern)).toBeUndefined();
  });

  it.each(Object.keys(envelope))('passes on an envelope without %s', (key) => {
    const { [key]: _left, ...rest } = envelope;
    expect(readPlainCall(modernHeaders, { ...body, params: { ...params, _meta: rest } })).toBeUndefined();
  });
});
