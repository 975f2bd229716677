import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.js';
import { type CliWorld, startCliWorld } from './cli-world.js';

let cli: CliWorld;
let host: Server;
const asked: { url: string; authorization: string | undefined }[] = [];

beforeAll(async () => {
  cli = await startCliWorld(await startTestApp({ workers: true }));
  host = createServer((request, response) => {
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization });
    const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const answer = (body: unknown, headers = {}) =>
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const issue = (number: number, more = {}) => ({
      number,
      title: `Issue ${number}`,
      state: 'open',
      html_url: `https://github.com/acme/app/issues/${number}`,
      user: { login: 'octocat' },
      comments: 0,
      ...more,
    });
    if (request.url?.includes('/issues/1/comments'))
      answer([{ user: { login: 'hubot' }, body: 'Me too', created_at: '2024-01-02T03:04:05Z' }]);
    else if (request.url?.includes('page=2')) answer([issue(2), issue(3, { pull_request: {} })]);
    else if (request.url?.startsWith('/repos/acme/app/issues'))
      answer([issue(1, { comments: 1 })], { link: `<${origin}/repos/acme/app/issues?page=2>; rel="next"` });
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  host?.close();
  await cli?.stop();
});

const guildhall = (args: string[], env: Record<string, string> = {}) => cli.guildhall(args, { env });
const json = async (args: string[]) => JSON.parse((await guildhall([...args, '--json'])).stdout);

async function board(name: string): Promise<string> {
  return (await json(['boards', 'create', name])).board_id;
}
async function file(name: string, text: string): Promise<string> {
  const path = join(cli.home, name);
  await writeFile(path, text);
  return path;
}
const titles = async (boardId: string): Promise<string[]> =>
  (await json(['cards', 'list', '--board', boardId])).map(({ title }: { title: string }) => title).toSorted();

const TABLE = 'id,title,status\n1,One,To Do\n2,Two,Done\n3,,Done\n';

describe('guildhall import', () => {
  it('previews the rows and creates nothing', async () => {
    const boardId = await board('Dry');
    const path = await file('dry.csv', TABLE);
    const ran = await guildhall(['import', 'csv', path, '--board', boardId, '--dry-run']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/2\tnew card\tOne\tTo Do/);
    expect(ran.stdout).toMatch(/4\tunreadable\t.*It has no title/);
    expect(ran.stderr).toContain('2 cards to create; 1 row cannot be read');
    expect(await titles(boardId)).toEqual([]);
    const data = await json(['import', 'csv', path, '--board', boardId, '--dry-run']);
    expect(data).toMatchObject({
      counts: { new: 2, unreadable: 1 },
      rows: [{ row: 2 }, { row: 3 }, { row: 4 }],
    });
  });

  it('requires --yes without a terminal', async () => {
    const boardId = await board('Careful');
    const ran = await guildhall(['import', 'csv', await file('careful.csv', TABLE), '--board', boardId]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('Pass --yes to confirm');
    expect(await titles(boardId)).toEqual([]);
  });

  it('creates the cards, and nothing on a second run', async () => {
    const boardId = await board('Moved');
    const path = await file('moved.csv', TABLE);
    const ran = await guildhall(['import', 'csv', path, '--board', boardId, '--yes']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('Created 2 cards on Moved');
    expect(await titles(boardId)).toEqual(['One', 'Two']);
    const again = await guildhall(['import', 'csv', path, '--board', boardId, '--yes']);
    expect(again.stdout).toContain('No new rows');
    expect(again.stderr).toContain('2 already imported');
    expect(await titles(boardId)).toEqual(['One', 'Two']);
  });

  it('lists unknown states, and maps them with --map', async () => {
    const boardId = await board('Mapped');
    const path = await file('mapped.csv', 'title,status\nOne,Simmering\nTwo,Parked\n');
    const args = ['import', 'csv', path, '--board', boardId, '--yes', '--json'];
    const refused = await guildhall([...args, '--map', 'Simmering=In Progress']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('These states are not mapped: Parked');
    expect((await guildhall([...args, '--map', 'Simmering=Nowhere'])).stderr).toContain(
      'has no column or status Nowhere',
    );
    expect((await guildhall([...args, '--map', 'Simmering'])).code).toBe(2);
    const ran = await guildhall([...args, '--map', 'simmering=In Progress', '--map', 'Parked=blocked']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'done', counts: { made: 2 } });
    const cards = await json(['cards', 'list', '--board', boardId]);
    expect(
      Object.fromEntries(cards.map((card: Record<string, string>) => [card['title'], card['status']])),
    ).toEqual({
      One: 'in_progress',
      Two: 'blocked',
    });
  });

  it('lists data that is lost, and maps people without an address with --map-user', async () => {
    const boardId = await board('People');
    const path = await file('people.csv', 'title,assignee,Mood\nOne,octocat,good\nTwo,hubot,\n');
    const { user: email, name } = await json(['whoami']);
    const args = ['import', 'csv', path, '--board', boardId];
    const dry = await guildhall([...args, '--dry-run', '--map-user', `octocat=${email}`]);
    expect(dry.stderr).toContain(`octocat → ${email}`);
    expect(dry.stderr).toContain('Unknown people, named in the card text: hubot');
    expect(dry.stderr).toContain('Not imported (1 card): Column Mood');
    expect(await json([...args, '--dry-run'])).toMatchObject({ lost: [{ what: 'Column Mood', cards: 1 }] });
    const wrong = await guildhall([...args, '--yes', '--map-user', 'octocat=nobody@else.example']);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('has the address nobody@else') });
    expect((await guildhall([...args, '--map-user', 'octocat'])).stderr).toContain(
      '--map-user must have the form <login>=<email>',
    );
    const ran = await guildhall([...args, '--yes', '--map-user', `octocat=${email}`]);
    expect(ran.code, ran.stderr).toBe(0);
    const cards = await json(['cards', 'list', '--board', boardId]);
    const assignees = cards.map(({ title, assignee }: Record<string, { name: string } | null>) => [
      title,
      assignee?.name,
    ]);
    expect(Object.fromEntries(assignees)).toEqual({ One: name, Two: undefined });
  });

  it('reads a repository with a token from the environment, including all pages and comments', async () => {
    const boardId = await board('Hosted');
    const args = ['import', 'github', 'acme/app', '--board', boardId, '--yes'];
    const without = await guildhall(args);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('GITHUB_TOKEN');
    const env = {
      GITHUB_TOKEN: 'ghp_secret',
      GITHUB_API_URL: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
    };
    const ran = await guildhall(args, env);
    expect(ran.code, ran.stderr).toBe(0);
    expect(await titles(boardId)).toEqual(['Issue 1', 'Issue 2']);
    expect(asked.every(({ authorization }) => authorization === 'Bearer ghp_secret')).toBe(true);
    expect(`${ran.stdout}${ran.stderr}`).not.toContain('ghp_secret');
    const missing = await guildhall(['import', 'github', 'acme/other', '--board', boardId, '--yes'], env);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('Repository not found on') });
  });

  it('rejects unknown sources and files', async () => {
    const boardId = await board('Strange');
    const strange = await guildhall(['import', 'asana', 'x.csv', '--board', boardId]);
    expect(strange).toMatchObject({ code: 2, stderr: expect.stringContaining('Use one of: github, gitlab') });
    const nowhere = await guildhall(['import', 'csv', 'nowhere.csv', '--board', boardId]);
    expect(nowhere).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('File not found: nowhere.csv'),
    });
    const broken = await guildhall(['import', 'trello', await file('broken.json', '{'), '--board', boardId]);
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('not valid JSON') });
  });
});
