import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../src/kernel/access.js';
import { startTestApp, type World } from './support/app.js';

const MOST_TOOLS = 25;
const MOST_TOKENS = 10_000;
const CHARACTERS_PER_TOKEN = 4;

interface Tool {
  name: string;
  description: string;
  inputSchema: { properties: Record<string, { description?: string }> };
}

let world: World;
let token: string;

beforeAll(async () => {
  world = await startTestApp();
  const { brand, admin } = await world.workspace({ plan: 'business' });
  token = await world.token(brand, admin, [...SCOPES]);
});

afterAll(() => world.stop());

async function listTools(): Promise<string> {
  const response = await world.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  });
  expect(response.statusCode, response.body).toBe(200);
  return response.body;
}

const toolsIn = (body: string): Tool[] =>
  JSON.parse(body.startsWith('{') ? body : body.slice(body.indexOf('{'))).result.tools;

describe('tools/list of an admin with all scopes', () => {
  it('has at most 25 tools and 10,000 tokens', async () => {
    const body = await listTools();
    expect(toolsIn(body).length).toBeLessThanOrEqual(MOST_TOOLS);
    expect(toolsIn(body).length).toBeGreaterThan(15);
    expect(body.length / CHARACTERS_PER_TOKEN).toBeLessThan(MOST_TOKENS);
  });

  it('is byte-identical on every call', async () => {
    expect(await listTools()).toBe(await listTools());
  });

  it('describes every tool and every argument', async () => {
    for (const { name, description, inputSchema } of toolsIn(await listTools())) {
      expect(description, name).toMatch(/\S/);
      for (const [argument, schema] of Object.entries(inputSchema.properties))
        expect(schema.description, `${name} ${argument}`).toMatch(/\S/);
    }
  });
});
