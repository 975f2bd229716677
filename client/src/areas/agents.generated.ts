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
   * The agents' door: MCP over streamable HTTP.
   * Stateless. Point an MCP client here with a personal access token as bearer: its tools follow from what
   * the token may do. A coder comes with the token of its build, and finds what its brief needs.
   */
  callMcp(fields: CallMcpArguments, options?: CallOptions): Promise<unknown>;
}

export const agents = {
  callMcp: { method: 'POST', path: '/mcp', query: ['toolsets', 'read_only'], body: 'whole' },
} as const satisfies Record<string, Operation>;
