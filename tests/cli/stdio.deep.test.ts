import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, PROGRAM, runProgram, startCliWorld } from './cli-world.js';

let cli: CliWorld;
beforeAll(async () => {
  cli = await startCliWorld();
  await cli.call('POST', '/api/v1/board/boards', { name: 'Lighthouse repairs' });
});
afterAll(() => cli?.stop());

async function withClient<T>(args: string[], work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...cli.somebody },
  });
  await client.connect(transport);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

describe('guildhall mcp', () => {
  it('offers the same tools over stdio as the service offers over HTTP', async () => {
    const { tools } = await withClient([], (client) => client.listTools());
    const response = await fetch(`${cli.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${cli.workspace.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const told = /\{.*\}/.exec(await response.text())![0];
    const offered = (JSON.parse(told) as { result: { tools: { name: string }[] } }).result.tools;
    expect(tools.map(({ name }) => name)).toEqual(offered.map(({ name }) => name));
    expect(tools.length).toBeGreaterThan(10);
  });

  it('calls tools and reads resources', async () => {
    await withClient([], async (client) => {
      const answer = await client.callTool({ name: 'list_boards', arguments: {} });
      expect(JSON.stringify(answer)).toContain('Lighthouse repairs');
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.length).toBeGreaterThan(0);
    });
  });

  it('limits tools with --toolsets and --read-only', async () => {
    const { tools } = await withClient(['--toolsets', 'boards', '--read-only'], (client) =>
      client.listTools(),
    );
    const names = tools.map(({ name }) => name);
    expect(names).toContain('list_boards');
    expect(names).not.toContain('create_task');
    expect(names).not.toContain('search_memories');
  });

  it('answers every request when the server is down or refuses, and exits when its input ends', async () => {
    const stdin = `${line({ id: 1, method: 'tools/list' }) + line({ id: 'b', method: 'ping' })}not json\n`;
    const away = await runProgram(['mcp'], {
      env: { ...cli.somebody, GUILDHALL_URL: 'http://127.0.0.1:9' },
      stdin,
    });
    const answers = away.stdout
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as { id: unknown; error: { message: string } });
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 'b', null]));
    expect(away.code).toBe(0);
    const refused = await runProgram(['mcp'], {
      env: { ...cli.somebody, GUILDHALL_TOKEN: 'guild_pat_gone' },
      stdin: line({ id: 1, method: 'tools/list' }),
    });
    expect(JSON.parse(refused.stdout)).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('guildhall login') },
    });
    expect(refused.stdout + refused.stderr).not.toContain('guild_pat_gone');
  });

  it('continues after a line with JSON that is not a message', async () => {
    const { code, stdout } = await runProgram(['mcp'], {
      env: cli.somebody,
      stdin: `null\n7\n[]\n${line({ id: 1, method: 'ping' })}`,
    });
    const answers = stdout
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(answers.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual([
      -32600, -32600, -32600,
    ]);
    expect(answers.find(({ id }) => id === 1)).toHaveProperty('result');
    expect(code).toBe(0);
  });

  it('requires a token', async () => {
    expect((await runProgram(['mcp'], { env: cli.nobody })).code).toBe(4);
  });
});
