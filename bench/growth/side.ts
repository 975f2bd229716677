import { Agent, request } from 'node:http';
import { findDatabaseUrl } from '../database.js';
import { startService } from '../processes.js';
import { makeWorld } from '../world.js';
import { fillWorkspace, type Size } from './fill.js';
import type { List, Paging, Place } from './lists.js';

/** A service with its own database of the given size. */
export interface Side {
  size: Size;
  place: Place;
  url: string;
  headers: (list: List) => Record<string, string>;
}

const agent = new Agent({ keepAlive: true });

export async function makeSide(dataDir: string, size: Size): Promise<Side> {
  const { url, adminKey } = await startService(dataDir, { EMBEDDER: 'none', DATABASE_URL: '' });
  const world = await makeWorld(url, adminKey, await findDatabaseUrl(dataDir));
  const { email, password, brandId } = world;
  const json = { 'content-type': 'application/json' };
  const signedIn = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, password }),
  });
  const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0]!;
  const filled = await fillWorkspace(world, size, async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { ...json, cookie },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  });
  return {
    size,
    place: { ...filled, brandId, cards: size.cards },
    url,
    headers: ({ operator }): Record<string, string> => (operator ? { 'x-admin-key': adminKey } : { cookie }),
  };
}

/** Uses one keep-alive connection and does not parse answers, so that the client adds little time. */
export function get(side: Side, list: List, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(`${side.url}/api/v1${path}`, { agent, headers: side.headers(list) });
    asked.on('error', reject);
    asked.on('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      if (response.statusCode === 200) resolve(text);
      else reject(new Error(`${path} answered ${response.statusCode}: ${text}`));
    });
    asked.end();
  });
}

const PAGE = 50;
const MOST_PAGES = 300;

/**
 * Returns the path of a page halfway through the list, or three hundred of its largest pages deep, or
 * undefined if it has one page.
 */
export async function findDeepPath(side: Side, list: List, next: Paging): Promise<string | undefined> {
  const path = list.path(side.place);
  const join = path.includes('?') ? '&' : '?';
  if ('page' in next) return `${path}${join}page=${Math.ceil(next.page(side.size) / 2 / PAGE)}`;
  const walk = next.largest ? withLargest(path, next.largest) : path;
  const marks: string[] = [];
  for (let mark = ''; marks.length < MOST_PAGES; ) {
    const text = await get(side, list, mark ? `${walk}${walk.includes('?') ? '&' : '?'}${mark}` : walk);
    const found = readMark(JSON.parse(text), next);
    if (found === undefined || marks.at(-1) === found) break;
    mark = found;
    marks.push(mark);
  }
  if (marks.length === 0) return undefined;
  return `${path}${join}${marks[Math.floor((marks.length - 1) / (marks.length === MOST_PAGES ? 1 : 2))]}`;
}

function withLargest(path: string, largest: string): string {
  const [name] = largest.split('=');
  return path.replace(new RegExp(`([?&])${name}=\\d+`), `$1${largest}`);
}

function readMark(answer: object, next: Exclude<Paging, { page: unknown }>): string | undefined {
  if ('cursor' in next) {
    const { next_cursor: value } = answer as { next_cursor?: string | null };
    const isEmpty = !Object.values(answer).some((records) => Array.isArray(records) && records.length > 0);
    // A feed has no last page: its last cursor returns later entries.
    return value && !isEmpty ? `${next.cursor}=${encodeURIComponent(value)}` : undefined;
  }
  const items = (next.before === null ? answer : (answer as Record<string, unknown>)[next.before]) as {
    id: number;
  }[];
  const last = items.at(-1);
  return last && `before=${last.id}`;
}
