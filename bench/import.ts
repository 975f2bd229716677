import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createCorpus, PEOPLE } from './memory-corpus.js';
import { runBench, startService } from './processes.js';
import { reportRow } from './report.js';
import type { BenchWorld } from './row.js';
import { makeWorld } from './world.js';

const help = `npm run bench -- import [options]

Imports the export of a large tracker: how long it takes to read, and to make the cards, with texts, comments, labels and parents.

  --cards <n>     how many (10000)
  --comments <n>  of each (2)`;

const { values: options } = parseArgs({
  options: {
    cards: { type: 'string', default: '10000' },
    comments: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});

/** A tracker's search result, in which every tenth issue is the parent of the following nine. */
function writeExport(count: number): string {
  const corpus = createCorpus(5);
  const sentences = Array.from({ length: 997 }, () => corpus.sentence(PEOPLE));
  const issues = Array.from({ length: count }, (_, at) => {
    const { title, body } = sentences[at % 997]!;
    return {
      id: String(at),
      key: `BIG-${at}`,
      self: `https://tracker.example/rest/api/2/issue/${at}`,
      fields: {
        summary: `${title} ${at}`,
        description: `${body}\n\n${sentences[(at + 400) % 997]!.body}`,
        status: { name: ['To Do', 'In Progress', 'Done'][at % 3] },
        labels: ['moved', `area-${at % 20}`],
        reporter: { displayName: `Person ${at % 50}`, emailAddress: `person-${at % 50}@example.com` },
        ...(at % 10 > 0 && { parent: { key: `BIG-${at - (at % 10)}` } }),
        comment: {
          comments: Array.from({ length: Number(options.comments) }, (_, said) => ({
            author: { displayName: `Person ${said}` },
            created: '2024-01-02T03:04:05.000+0000',
            body: sentences[(at + said) % 997]!.body,
          })),
        },
      },
    };
  });
  return JSON.stringify({ issues });
}

async function readExport(world: BenchWorld, boardId: string, text: string): Promise<string> {
  const form = new FormData();
  form.set('file', new File([text], 'export.json'));
  const answer = await fetch(`${world.url}/api/v1/board/boards/${boardId}/imports?source=jira`, {
    method: 'POST',
    headers: world.bearer,
    body: form,
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { import_id: string }).import_id;
}

async function measure(dataDir: string): Promise<void> {
  const { url, adminKey } = await startService(dataDir, { EMBEDDER: 'none' });
  const world = await makeWorld(url, adminKey);
  const board = await world.call('POST', '/api/v1/board/boards', { name: 'Bench board' });
  const text = writeExport(Number(options.cards));
  const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);

  const begun = performance.now();
  const importId = await readExport(world, String(board['board_id']), text);
  reportRow(
    `read ${options.cards} cards, ${(text.length / 1024 / 1024).toFixed(1)} MiB`,
    `${seconds(begun)} s`,
  );

  const started = performance.now();
  await world.call('POST', `/api/v1/board/imports/${importId}/start`, {});
  for (let status: unknown; status !== 'done'; ) {
    const found = await world.call('GET', `/api/v1/board/imports/${importId}`);
    status = found['status'];
    if (status === 'failed') throw new Error(String(found['error']));
    if (status !== 'done') await pause(100);
  }
  reportRow(`made ${options.cards} cards`, `${seconds(started)} s`);
  reportRow('total', `${seconds(begun)} s`);
}

await runBench(options.help ? help : undefined, measure);
