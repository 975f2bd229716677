import { boardsWorld } from '../boards-world.js';
import type { BenchRequest, BenchRow, BenchWorld } from '../row.js';

type Made = Record<string, unknown>;

interface Row {
  name: string;
  tool: string;
  arguments: (made: Made) => Record<string, unknown>;
  plain: (made: Made) => string;
  /** The MCP protocol version that the client uses. */
  protocol?: '2025-11-25' | '2026-07-28';
}

/** Measures the cost of calling a tool instead of plain HTTP for the same operation. */
const toolRow = (row: Row): BenchRow => ({
  name: row.name,
  kind: 'tool',
  setup: async (world) => ({ ...(await boardsWorld(world)) }),
  request: (world, made) => callTool(world, row, made),
  floor: (world, made) => ({ request: { path: row.plain(made), headers: world.bearer } }),
});

function callTool(world: BenchWorld, row: Row, made: Made): BenchRequest {
  const { tool, protocol = '2025-11-25' } = row;
  const modern = protocol === '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': protocol,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    method: 'POST',
    path: '/mcp',
    headers: {
      ...world.bearer,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocol,
      ...(modern && { 'mcp-method': 'tools/call', 'mcp-name': tool }),
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: row.arguments(made), ...(modern && { _meta: meta }) },
    },
  };
}

const card = {
  tool: 'get_task',
  arguments: ({ cardId }: Made) => ({ task_id: cardId }),
  plain: ({ cardId }: Made) => `/api/v1/board/tasks/${cardId}`,
};

export const rows: BenchRow[] = [
  toolRow({
    name: 'agents-tool-boards',
    tool: 'list_boards',
    arguments: () => ({}),
    plain: () => '/api/v1/board/boards',
  }),
  toolRow({ name: 'agents-tool-card', ...card }),
  toolRow({ name: 'agents-tool-card-2026', ...card, protocol: '2026-07-28' }),
  toolRow({
    name: 'agents-tool-cards-page',
    tool: 'list_board_tasks',
    arguments: ({ small }) => ({ board_id: small, per_page: 50 }),
    plain: ({ small }) => `/api/v1/board/boards/${small}/tasks?detail=summary&per_page=50`,
  }),
];
