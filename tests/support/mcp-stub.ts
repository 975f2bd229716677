import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An MCP server over HTTP with one tool, which records the token of each call. */
export interface McpStub {
  url: string;
  /** The bearer token of each tool call. */
  calls: string[];
  close(): Promise<void>;
}

interface McpRequest {
  id?: unknown;
  method: string;
  params?: { protocolVersion?: string };
}

export async function startMcpStub(tool: string): Promise<McpStub> {
  const calls: string[] = [];
  const answer = ({ method, params }: McpRequest, bearer: string): object => {
    if (method === 'initialize')
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'guildhall', version: '1' },
      };
    if (method === 'tools/list')
      return {
        tools: [{ name: tool, description: 'Finish', inputSchema: { type: 'object', properties: {} } }],
      };
    if (method !== 'tools/call') return {};
    calls.push(bearer);
    return { content: [{ type: 'text', text: 'noted' }] };
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = JSON.parse(Buffer.concat(chunks).toString()) as McpRequest;
    if (message.id === undefined) return response.writeHead(202).end();
    const result = answer(message, String(request.headers.authorization).replace(/^Bearer /, ''));
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
