// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions } from '../core/options.js';

export interface CallMcpArguments {
  /** Show only these, comma-separated: boards, memory, lessons, builds, profiles, workspace. */
  toolsets?: string;
  /** `1` hides everything that changes something, `0` hides nothing. */
  read_only?: string;
  /** A JSON-RPC message of the protocol. */
  body: unknown;
}

export interface AgentsMethods {
  /**
   * Call tools over MCP.
   * Stateless MCP over streamable HTTP. Point an MCP client here with a personal access token as bearer. The
   * token decides which tools it sees. A coder uses the token of its build and sees the tools for its card.
   */
  callMcp(fields: CallMcpArguments, options?: CallOptions): Promise<unknown>;
}

export const agents = {
  callMcp: { method: 'POST', path: '/mcp', query: ['toolsets', 'read_only'], body: 'whole' },
} as const satisfies Record<string, Operation>;
