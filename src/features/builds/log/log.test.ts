import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { startTestApp } from '../../../../tests/support/app.js';
import { deskCalls, openBuildWorld } from '../../../../tests/support/build-world.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { type EventLine, openEvents } from '../../../../tests/support/events.js';
import { buildStore } from '../record/builds.store.js';

const world = await openBuildWorld();
const home = await world.furnish({ plan: 'enterprise' });
const desk = await home.readyDesk();
const address = await world.server.listen({ port: 0, host: '127.0.0.1' });

interface Page {
  chunks: { seq: number; at: string; text: string }[];
  next: number;
  finished: boolean;
}

const running = async () => {
  const card = await home.card();
  await home.build(card.id);
  return home.take(desk);
};
const read = async (buildId: string, query = '') =>
  (await home.call<Page>('GET', `/api/v1/factory/builds/${buildId}/log${query}`)).body;
const streamOf = (buildId: string, headers: Record<string, string> = {}) =>
  openEvents(`${address}/api/v1/factory/builds/${buildId}/log/stream`, { ...home.space.bearer, ...headers });
const textOf = (lines: EventLine[]) => lines.map(({ data }) => (data as { text: string }).text).join('');

describe('PUT /api/v1/desk/builds/{build_id}/log', () => {
  it('accepts pieces in order, and answers a repeated one without writing it', async () => {
    const { buildId, claim } = await running();
    expect(await home.log(desk, buildId, claim, 1, 'one\n')).toMatchObject({
      status: 200,
      body: { next: 2 },
    });
    expect(await home.log(desk, buildId, claim, 2, 'two\n')).toMatchObject({
      status: 200,
      body: { next: 3 },
    });
    expect(await home.log(desk, buildId, claim, 2, 'other')).toMatchObject({
      status: 200,
      body: { next: 3 },
    });
    const gap = await home.log(desk, buildId, claim, 4, 'four\n');
    expect(gap.status).toBe(409);
    expect(gap.body.detail).toMatchObject({ error: 'gap', expected: 3 });
    const page = await read(buildId);
    expect(page.chunks.map(({ seq, text }) => [seq, text])).toEqual([
      [1, 'one\n'],
      [2, 'two\n'],
    ]);
    expect(page).toMatchObject({ next: 2, finished: false });
    expect((await home.get(buildId)).log_bytes).toBe(8);
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
    expect((await read(buildId, '?after=2')).chunks).toEqual([]);
    expect(await read(buildId, '?after=1&limit=1')).toMatchObject({ next: 2, finished: true });
    expect(await read(buildId, '?limit=1')).toMatchObject({ next: 1, finished: false });
  });

  it('keeps each piece once when it is sent many times at once', async () => {
    const { buildId, claim } = await running();
    for (let seq = 1; seq <= 5; seq += 1) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => home.log(desk, buildId, claim, seq, `line ${seq}\n`)),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    }
    const { chunks } = await read(buildId);
    expect(chunks.map(({ text }) => text)).toEqual([1, 2, 3, 4, 5].map((seq) => `line ${seq}\n`));
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
  });

  itDeeply(
    'writes chunks of many builds in one batch and rejects an invalid chunk without affecting the others',
    async () => {
      const builds = await Promise.all(Array.from({ length: 8 }, running));
      const send = (seq: number, text: (n: number) => string) =>
        Promise.all(
          builds.map(({ buildId, claim }, n) =>
            home.log(desk, buildId, n === 3 ? 'another' : claim, n === 5 ? seq + 1 : seq, text(n)),
          ),
        );
      for (const seq of [1, 2]) {
        const answers = await send(seq, (n) => `build ${n} line ${seq}\n`);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 409, 200, 409, 200, 200]);
        expect(answers[3]!.body.detail.error).toBe('claim_lost');
        expect(answers[5]!.body.detail).toMatchObject({ error: 'gap', expected: 1 });
      }
      for (const [n, { buildId, claim }] of builds.entries()) {
        const lines = n === 3 || n === 5 ? [] : [`build ${n} line 1\n`, `build ${n} line 2\n`];
        expect((await read(buildId)).chunks.map(({ text }) => text)).toEqual(lines);
        expect((await home.get(buildId)).log_bytes).toBe(lines.join('').length);
        await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
      }
    },
  );

  itDeeply('does not delay other builds while one build is locked', async () => {
    const builds = await Promise.all(Array.from({ length: 5 }, running));
    const [held, ...others] = builds;
    const { sent, answered } = await world.db.transaction().execute(async (tx) => {
      await buildStore(tx, home.space.brand.brand_id).lock(held!.buildId, world.clock.now());
      const log = ({ buildId, claim }: (typeof builds)[number]) => home.log(desk, buildId, claim, 1, 'x');
      // The first ones occupy the running batches, so that the others are written together.
      const sent = [others[0]!, others[1]!, held!, others[2]!, others[3]!].map(log);
      return { sent, answered: await Promise.all([sent[0], sent[1], sent[3], sent[4]]) };
    });
    expect(answered.map((answer) => answer!.status)).toEqual([200, 200, 200, 200]);
    expect((await sent[2])!.status).toBe(200);
    for (const { buildId, claim } of builds) {
      expect((await read(buildId)).chunks.map(({ text }) => text)).toEqual(['x']);
      await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
    }
  });

  it('is refused with a reason before the start and after the finish', async () => {
    const card = await home.card();
    const build = await home.build(card.id);
    const [order] = await home.work(desk);
    const early = await home.log(desk, build.build_id, order!.claim, 1, 'x');
    expect([early.status, early.body.detail]).toEqual([409, 'This build has not been started']);
    await home.start(desk, build.build_id, order!.claim);
    await home.finish(desk, build.build_id, order!.claim, { outcome: 'succeeded' });
    const late = await home.log(desk, build.build_id, order!.claim, 1, 'x');
    expect([late.status, late.body.detail]).toEqual([409, 'This build is finished']);
  });

  it('accepts exactly 256 KiB and binary bytes, and refuses an empty piece', async () => {
    const { buildId, claim } = await running();
    expect((await home.log(desk, buildId, claim, 1, 'x'.repeat(256 * 1024 + 1))).status).toBe(413);
    expect((await home.log(desk, buildId, claim, 1, 'x'.repeat(256 * 1024))).status).toBe(200);
    expect((await home.log(desk, buildId, claim, 2, Buffer.from([0, 0xff, 0xfe, 0x41]))).status).toBe(200);
    expect((await home.log(desk, buildId, claim, 3, '')).status).toBe(422);
    expect((await read(buildId, '?after=1')).chunks[0]!.text).toBe('\uFFFD\uFFFD\uFFFDA');
    for (const seq of ['0', '-1', 'x', '99999999999'])
      expect(
        (
          await home.say(desk, 'PUT', `builds/${buildId}/log?seq=${seq}`, {
            claim,
            payload: 'x',
            headers: { 'content-type': 'text/plain' },
          })
        ).status,
      ).toBe(422);
    expect(
      (
        await home.say(desk, 'PUT', `builds/${buildId}/log?seq=3`, {
          claim,
          payload: '{}',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(415);
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
  });

  it('counts as a sign of life', async () => {
    const { buildId, claim } = await running();
    await world.advance(300);
    await home.log(desk, buildId, claim, 1, 'x');
    await world.advance(400);
    expect((await home.get(buildId)).status).toBe('running');
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
  });

  it('accepts at most 250,000 pieces, and returns a final 413 for the next one', async () => {
    const { buildId, claim } = await running();
    await world.database.db
      .updateTable('builds')
      .set({ log_seq: 249_999 })
      .where('build_id', '=', buildId)
      .execute();
    expect((await home.log(desk, buildId, claim, 250_001, 'early')).body.detail).toMatchObject({
      error: 'gap',
      expected: 250_000,
    });
    expect((await home.log(desk, buildId, claim, 250_000, 'last')).status).toBe(200);
    for (const seq of [250_001, 250_002])
      expect(await home.log(desk, buildId, claim, seq, 'more')).toMatchObject({
        status: 413,
        body: { detail: 'The log of a build has at most 250000 pieces' },
      });
    expect((await home.log(desk, buildId, claim, 250_000, 'last')).status).toBe(200);
    expect((await home.log(desk, buildId, 'another', 250_001, 'more')).body.detail.error).toBe('claim_lost');
    expect((await home.finish(desk, buildId, claim, { outcome: 'succeeded' })).status).toBe(200);
  });

  itDeeply(
    'keeps the first and last parts of a log within 16 MiB and states the gap in the log',
    async () => {
      const { buildId, claim } = await running();
      const piece = 256 * 1024;
      const pieces = 76;
      for (let seq = 1; seq <= pieces; seq += 1) {
        const line = `piece ${seq} `;
        expect(
          (await home.log(desk, buildId, claim, seq, line + 'x'.repeat(piece - line.length))).status,
        ).toBe(200);
      }
      await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
      expect((await home.get(buildId)).log_bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
      const chunks: Page['chunks'] = [];
      for (let after = 0, finished = false; !finished; ) {
        const page = await read(buildId, `?after=${after}&limit=7`);
        chunks.push(...page.chunks);
        after = page.next;
        finished = page.finished;
      }
      expect(chunks.map(({ seq }) => seq)).toEqual(Array.from({ length: pieces }, (_, index) => index + 1));
      const kept = chunks.filter(({ text }) => text.startsWith('piece '));
      expect(kept.map(({ text, seq }) => text.startsWith(`piece ${seq} `))).not.toContain(false);
      const bytes = kept.reduce((sum, { text }) => sum + text.length, 0);
      expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
      expect(bytes).toBeGreaterThan(15 * 1024 * 1024);
      expect(kept.slice(0, 32).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 32 }, (_, index) => index + 1),
      );
      expect(kept.at(-1)!.seq).toBe(pieces);
      expect(chunks[32]!.text).toContain(
        `${(pieces - kept.length) * piece} bytes of the log are left out here`,
      );
    },
  );

  itDeeply('states the gap to a reader who starts inside it', async () => {
    const { buildId, claim } = await running();
    await makeGap(buildId, { head: 10, until: 350, last: 360 });
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
    const { chunks } = await read(buildId, '?after=20&limit=340');
    expect(chunks.map(({ seq }) => seq)).toEqual(Array.from({ length: 340 }, (_, n) => n + 21));
    expect(chunks.filter(({ text }) => text !== '').map(({ seq, text }) => [seq, text])).toEqual([
      [350, '\n[12345 bytes of the log are left out up to here]\n'],
      ...Array.from({ length: 10 }, (_, n) => [n + 351, `piece ${n + 351}`]),
    ]);
  });
});

/** Turns a log into one whose middle pieces were dropped. */
async function makeGap(
  buildId: string,
  { head, until, last, from = 1 }: { head: number; until: number; last: number; from?: number },
) {
  const kept = Array.from({ length: last }, (_, n) => n + 1)
    .filter((seq) => seq <= head || seq > until)
    .filter((seq) => seq >= from);
  await world.db
    .insertInto('build_log_chunks')
    .values(
      kept.map((seq) => ({ build_id: buildId, seq, at: world.clock.now(), bytes: 9, body: `piece ${seq}` })),
    )
    .execute();
  await world.db
    .updateTable('builds')
    .set({ log_seq: last, log_head_seq: head, log_gap_until: until, log_gap_bytes: 12_345 })
    .where('build_id', '=', buildId)
    .execute();
}

describe('GET /api/v1/factory/builds/{build_id}/log', () => {
  it('compresses pages for clients that accept it, but never the stream', async () => {
    const { buildId, claim } = await running();
    const words = 'The same line again and again.\n'.repeat(2000);
    await home.log(desk, buildId, claim, 1, words);
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
    const url = `/api/v1/factory/builds/${buildId}/log`;
    for (const [accepted, unpack] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const headers = { ...home.space.bearer, 'accept-encoding': accepted };
      const page = await world.inject({ method: 'GET', url: `${url}?after=0&limit=1`, headers });
      expect(page.headers['content-encoding']).toBe(accepted);
      expect(page.rawPayload.length).toBeLessThan(words.length / 20);
      expect((JSON.parse(unpack(page.rawPayload).toString()) as Page).chunks[0]?.text).toBe(words);
      const stream = await world.inject({ method: 'GET', url: `${url}/stream`, headers });
      expect(stream.headers['content-encoding']).toBeUndefined();
    }
  });
});

describe('GET /api/v1/factory/builds/{build_id}/log/stream', () => {
  itDeeply('states a gap once, wherever the reader starts', async () => {
    const { buildId, claim } = await running();
    await makeGap(buildId, { head: 10, until: 350, last: 360 });
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
    const saidTo = async (headers: Record<string, string>, pieces: number) => {
      const lines = await (await streamOf(buildId, headers)).take(pieces + 1);
      expect(lines.pop()).toMatchObject({ event: 'end', data: { next: 360 } });
      return lines
        .filter(({ data }) => (data as { text: string }).text.includes('left out'))
        .map(({ id }) => id);
    };
    expect(await saidTo({}, 360)).toEqual(['11']);
    expect(await saidTo({ 'last-event-id': '20' }, 340)).toEqual(['350']);
    expect(await saidTo({ 'last-event-id': '350' }, 10)).toEqual([]);
  });

  it('sends every piece once as it arrives, and then the end', async () => {
    const { buildId, claim } = await running();
    await home.log(desk, buildId, claim, 1, 'a');
    const stream = await streamOf(buildId);
    expect(await stream.take(1)).toMatchObject([{ id: '1', data: { seq: 1, text: 'a' } }]);
    await home.log(desk, buildId, claim, 2, 'b');
    await home.log(desk, buildId, claim, 3, 'c');
    expect(textOf(await stream.take(2))).toBe('bc');
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
    expect(await stream.take(1)).toMatchObject([{ event: 'end' }]);
    expect(await stream.next()).toBeUndefined();
  });

  it('sends a piece that this node received without reading it from the database', async () => {
    const { buildId, claim } = await running();
    await home.log(desk, buildId, claim, 1, 'a');
    const stream = await streamOf(buildId);
    expect(textOf(await stream.take(1))).toBe('a');
    // A read from the database would return other text.
    await sql`
      create function other_words() returns trigger language plpgsql as 'begin new.body = ''read''; return new; end'`.execute(
      world.db,
    );
    await sql`
      create trigger other_words before insert on build_log_chunks for each row
      when (new.build_id = ${sql.lit(buildId)}) execute function other_words()`.execute(world.db);
    for (const seq of [2, 3]) await home.log(desk, buildId, claim, seq, 'b');
    expect(textOf(await stream.take(2))).toBe('bb');
    expect((await read(buildId)).chunks.map(({ text }) => text)).toEqual(['a', 'read', 'read']);
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
    expect(await stream.take(1)).toMatchObject([{ event: 'end', data: { next: 3 } }]);
  });

  it('sends every piece once and in order when two nodes receive them alternately', async () => {
    const { buildId, claim } = await running();
    const second = await startTestApp({ database: world.database });
    try {
      const afar = deskCalls(second);
      const lines = await streamOf(buildId);
      for (let seq = 1; seq <= 40; seq += 1)
        await (seq % 3 === 0 ? afar : home).log(desk, buildId, claim, seq, `${seq} `);
      const told = await lines.take(40);
      expect(told.map(({ id }) => Number(id))).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
      expect(textOf(told)).toBe(Array.from({ length: 40 }, (_, n) => `${n + 1} `).join(''));
      await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
    } finally {
      await second.stop();
    }
  });

  it('continues after Last-Event-ID', async () => {
    const { buildId, claim } = await running();
    for (let seq = 1; seq <= 3; seq += 1) await home.log(desk, buildId, claim, seq, `${seq}`);
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
    const stream = await streamOf(buildId, { 'last-event-id': '2' });
    const lines = await stream.take(2);
    expect(lines[0]).toMatchObject({ id: '3' });
    expect(lines[1]).toMatchObject({ event: 'end' });
  });

  itDeeply('streams chunks that another node received', async () => {
    const { buildId, claim } = await running();
    const second = await startTestApp({ database: world.database });
    try {
      const stream = await streamOf(buildId);
      await deskCalls(second).log(desk, buildId, claim, 1, 'from afar');
      expect(textOf(await stream.take(1))).toBe('from afar');
      await deskCalls(second).finish(desk, buildId, claim, { outcome: 'succeeded' });
      expect(await stream.take(1)).toMatchObject([{ event: 'end' }]);
    } finally {
      await second.stop();
    }
  });

  it('ends when the token is revoked, without reporting that the build has ended', async () => {
    const { buildId, claim } = await running();
    const member = await world.member(home.space.brand);
    const made = await world.operator<{ token: string; token_id: string }>(
      'POST',
      `/brands/${home.space.brand.brand_id}/tokens`,
      { user_id: member.user_id, scopes: [], name: 'reader' },
    );
    const stream = await streamOf(buildId, { authorization: `Bearer ${made.token}` });
    await home.log(desk, buildId, claim, 1, 'a');
    await stream.take(1);
    await world.operator('DELETE', `/tokens/${made.token_id}`);
    await home.log(desk, buildId, claim, 2, 'secret');
    expect(await stream.next()).toBeUndefined();
    await home.finish(desk, buildId, claim, { outcome: 'succeeded' });
  });
});
