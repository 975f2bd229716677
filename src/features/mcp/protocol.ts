import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import type { Log } from '../../kernel/log.js';
import type { ToolAnswer } from './calls.js';
import type { Arguments } from './operations.js';
import type { Template, Tool } from './tools.js';

export interface Offer {
  instructions: string;
  listTools(): Tool[];
  callTool(name: string, args: Arguments): Promise<ToolAnswer>;
  listTemplates(): Template[];
  readResource(uri: string): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }>;
}

interface ProtocolOptions {
  version: string;
  log: Log;
}

/** The full protocol in both versions. The SDK is large, so it is loaded on first use. */
export function createProtocol({ version, log }: ProtocolOptions) {
  function createServer(offer: Offer): Server {
    const { instructions } = offer;
    const capabilities = { tools: {}, resources: {} };
    const server = new Server({ name: 'guildhall', version }, { capabilities, instructions });
    server.setRequestHandler('tools/list', async () => ({ tools: offer.listTools() as never[] }));
    server.setRequestHandler(
      'tools/call',
      async ({ params }) => offer.callTool(params.name, (params.arguments ?? {}) as Arguments) as never,
    );
    server.setRequestHandler('resources/list', async () => ({ resources: [] }));
    server.setRequestHandler('resources/templates/list', async () => ({
      resourceTemplates: offer.listTemplates(),
    }));
    server.setRequestHandler('resources/read', async ({ params }) => offer.readResource(params.uri));
    return server;
  }

  const handler = createMcpHandler(({ authInfo }) => createServer(authInfo!.extra!['offer'] as Offer), {
    onerror: (error) => log.debug({ err: error }, 'An agent sent what the protocol does not know'),
  });

  return {
    serve(request: Request, body: unknown, offer: Offer): Promise<Response> {
      const authInfo = { token: '', clientId: '', scopes: [], extra: { offer } };
      return handler.fetch(request, { authInfo, parsedBody: body });
    },
    close: () => handler.close(),
  };
}

export type Protocol = ReturnType<typeof createProtocol>;
