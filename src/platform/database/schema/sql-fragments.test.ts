import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';

let database: TestDatabase;

/** Creates `first_words`, the original version of `search_words` that built the existing indexes. */
beforeAll(async () => {
  database = await createTestDatabase();
  const migration = await readFile(new URL('../migrations/0340_search.sql', import.meta.url), 'utf8');
  const functions = ['search_spaced', 'search_terms', 'search_words'].map(
    (name) => new RegExp(`^create function ${name}\\(.*?;$`, 'ms').exec(migration)![0],
  );
  await database.pool.query(functions.join('\n').replaceAll('search_', 'first_'));
});
afterAll(() => database.drop());

const differing = async (texts: string) => {
  const { rows } = await database.pool.query(`
    with texts as materialized (${texts})
    select text from texts
    where search_words(7, text, text || ' ' || upper(text))::text is distinct from first_words(7, text, text || ' ' || upper(text))::text
      or search_words(7, 'Title', text)::text is distinct from first_words(7, 'Title', text)::text
      or search_spaced(text) is distinct from first_spaced(text)`);
  return rows;
};

it('search_words returns the same bytes as the existing indexes for every Unicode character', async () => {
  // Surrogates are not characters.
  expect(
    await differing(`
      select string_agg(chr(letter), '') as text from generate_series(1, 204799) letter
      where letter not between 55296 and 57343 group by letter / 256
      union all
      select string_agg('a' || chr(letter) || 'B ' || chr(letter) || chr(769), '') from generate_series(1, 204799) letter
      where letter not between 55296 and 57343 group by letter / 512`),
  ).toEqual([]);
});

it.each([
  ['none', "select null::text as text union all select '' union all select ' '"],
  [
    'names of code, addresses and numbers',
    "select unnest(array['invoiceWriter HTTPServer', 'src/a-b/c_d.ts', 'v1.2.3. End.', 'a@b.example?x=1&y=%20', '''quoted'' \\ !']) as text",
  ],
  [
    'long plain and accented words',
    "select repeat(word, 9000) as text from unnest(array['word Word ', 'Größe ', 'naïve—', '日本語', '👍🏽 ']) word",
  ],
  [
    'many combining accents',
    "select repeat('a' || repeat(chr(769), n), 3) as text from unnest(array[1, 499, 500, 501, 1200]) n",
  ],
])('search_words returns the same bytes for %s', async (_, texts) => {
  expect(await differing(texts)).toEqual([]);
});

it('search_words works without a search path, as during autovacuum', async () => {
  const client = await database.pool.connect();
  try {
    await client.query("begin; set local search_path = ''");
    const { rows } = await client.query(
      "select public.search_words(7, 'Größe', 'invoiceWriter')::text as words",
    );
    expect(rows[0].words).toContain('7!grosse');
    await client.query('rollback');
  } finally {
    client.release();
  }
});
