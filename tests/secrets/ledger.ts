import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify';
import { sql } from 'kysely';
import type { World } from '../support/app.js';

export type Place = 'log' | 'answer' | 'database' | `file ${string}`;

interface Secret {
  name: string;
  text: string;
  /** Places that may contain the secret, such as the mail that delivers it. */
  allowed: (place: Place) => boolean;
}

export type Ledger = ReturnType<typeof openLedger>;

/** Records the secrets and answers of a walk, and searches everything for the secrets. */
export function openLedger(world: World) {
  const secrets: Secret[] = [];
  const answers: { asked: string; text: string }[] = [];

  return {
    /** From now on the search reports this text in any place that is not allowed. */
    know(name: string, text: string | undefined, allowed: Secret['allowed'] = () => false): string {
      if (!text || text.length < 6) throw new Error(`No secret worth the name: ${name}`);
      secrets.push({ name, text, allowed });
      return text;
    },

    /** Sends a request and keeps the answer for the search. Set `status` if the flow depends on it. */
    async ask(request: InjectOptions, status?: number): Promise<Response> {
      const response = await world.inject(request);
      if (status !== undefined && response.statusCode !== status)
        throw new Error(`${request.method} ${request.url}: ${response.statusCode} ${response.body}`);
      const head = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
      answers.push({
        asked: `${request.method ?? 'GET'} ${request.url}`,
        text: [...head, response.body].join('\n'),
      });
      return response;
    },

    /** Sends a request whose answer may show the secret, so that answer is not searched. */
    askOnce: (request: InjectOptions): Promise<Response> => world.inject(request),

    /** Returns `<secret> in <place>` for each secret found where it is not allowed. */
    async search(): Promise<string[]> {
      const places: [Place, string][] = [
        ...world.logLines.map((line): [Place, string] => ['log', line]),
        ...answers.map(({ text }): [Place, string] => ['answer', text]),
        ...(await readRows(world)).map((row): [Place, string] => ['database', row]),
        ...(await readFiles(world.config.dataDir)).map(([name, text]): [Place, string] => [
          `file ${name}`,
          text,
        ]),
      ];
      const found = places.flatMap(([place, text]) =>
        secrets
          .filter((secret) => text.includes(secret.text) && !secret.allowed(place))
          .map(({ name }) => `${name} in ${place}: ${text.slice(0, 120)}`),
      );
      return [...new Set(found)];
    },

    counts: () => ({ secrets: secrets.length, answers: answers.length, lines: world.logLines.length }),
  };
}

async function readRows({ db }: World): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(db);
  const all: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ line: string }>`select t::text as line from ${sql.raw(name)} t`.execute(db);
    all.push(...rows.map(({ line }) => `${name} ${line}`));
  }
  return all;
}

/** Returns the files of the data folder, with the soft line breaks of mails removed. */
async function readFiles(folder: string, below = ''): Promise<[name: string, text: string][]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry): Promise<[string, string][]> => {
      const name = join(below, entry.name);
      if (entry.isDirectory()) return readFiles(folder, name);
      if (!entry.isFile()) return [];
      const text = await readFile(join(folder, name), 'latin1');
      return [[name, name.endsWith('.eml') ? text.replace(/=\r?\n/g, '').replaceAll('=3D', '=') : text]];
    }),
  );
  return found.flat();
}
