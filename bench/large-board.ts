import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { launchChromium } from '../tests/support/chromium.js';
import { makeBoard } from './boards-world.js';
import { findDatabaseUrl } from './database.js';
import { runBench, startService } from './processes.js';
import { reportRow } from './report.js';
import type { BenchWorld } from './row.js';
import { describeTimes } from './times.js';
import { makeWorld } from './world.js';

const help = `npm run bench -- large-board [options]

Opens a large board in a browser and scrolls its columns: how soon the first card is there, how long a frame takes and how
many elements the page has.

  --cards <n>      cards of the board, spread over its columns (5000)
  --opens <n>      how often it is opened (10)
  --seconds <n>    how long is scrolled (10)`;

const { values: options } = parseArgs({
  options: {
    cards: { type: 'string', default: '5000' },
    opens: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
});

const FIRST_CARD = `new Promise((resolve) => {
  const look = () => document.querySelector('[data-card]') && resolve(performance.now());
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  look();
})`;

/** Times from navigation until the first card is visible. */
async function timeOpen(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: 'commit' });
  return page.evaluate<number>(FIRST_CARD);
}

/** Times between frames. With a list, scrolls it by a few cards per frame. */
const timeFrames = (page: Page, seconds: number, list?: string) =>
  page.evaluate<number[]>(`new Promise((resolve) => {
    const list = ${list === undefined ? 'null' : `document.querySelector('${list}')`};
    const frames = [];
    const began = performance.now();
    let last = began;
    let step = 400;
    requestAnimationFrame(function frame(at) {
      frames.push(at - last);
      last = at;
      if (list) {
        const before = list.scrollTop;
        list.scrollTop += step;
        if (list.scrollTop === before) step = -step;
      }
      if (at - began < ${seconds * 1000}) requestAnimationFrame(frame);
      else resolve(frames.slice(1));
    });
  })`);

async function fillBoard(world: BenchWorld): Promise<string> {
  const database = new pg.Client({ connectionString: world.databaseUrl });
  await database.connect();
  try {
    const cards = Number(options.cards);
    const boardId = await makeBoard(world, database, { cards, bodyCharacters: 500, entries: cards });
    await database.query('vacuum analyze');
    return boardId;
  } finally {
    await database.end();
  }
}

async function measure(dataDir: string): Promise<void> {
  const { url, adminKey } = await startService(dataDir, { EMBEDDER: 'none' });
  const world = await makeWorld(url, adminKey, await findDatabaseUrl(dataDir));
  const board = `${url}/dashboard/boards/${await fillBoard(world)}`;
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const { email, password } = world;
    await context.request.post(`${url}/api/v1/auth/login`, { data: { email, password } });
    const page = await context.newPage();
    const opens: number[] = [];
    for (let n = 0; n < Number(options.opens); n += 1) opens.push(await timeOpen(page, board));
    reportRow('the first card, never opened before', `${opens[0]?.toFixed(0)} ms`);
    reportRow('the first card, opened before', describeTimes(opens.slice(1)));
    const seconds = Number(options.seconds);
    reportRow('a frame of an idle page', describeTimes(await timeFrames(page, 3)));
    reportRow(
      'a frame while a column is scrolled',
      describeTimes(await timeFrames(page, seconds, '[data-column] .column-cards')),
    );
    reportRow('elements of the page', String(await page.evaluate("document.querySelectorAll('*').length")));
  } finally {
    await browser.close();
  }
}

await runBench(options.help ? help : undefined, measure);
