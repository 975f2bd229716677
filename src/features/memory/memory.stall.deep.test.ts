import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longestHold } from '../../../tests/support/event-loop.js';
import { type MemoryWorld, startMemoryWorld } from '../../../tests/support/memory.js';
import { findEdits } from './export/corrections.js';
import { buildSection, joinFile, parseSection, sizeAround, splitFile } from './export/memory-file.js';
import { holdsSecret, keepSpoken } from './learning/messages.js';
import { summariseCard } from './learning/pickup.js';
import { searchMarkdown } from './memory.routes.js';
import type { SearchAnswer } from './memory.schemas.js';
import { BEGIN_MARKER, END_MARKER } from './records/memory.record.js';
import { isSameMemory } from './search/similar.js';

const MIB = 1024 * 1024;
/**
 * Far above what a busy machine needs for 1 MiB, and far below the time of a pattern that restarts at each
 * character.
 */
const BOUND_MS = 5000;

const NASTY: Record<string, string> = {
  blanks: ' ',
  'blanks and breaks': ' \n\t\r\u0085\u2028',
  'headings with blanks': '# a      #',
  backticks: '`',
  fences: '``` ',
  'comment begins': '<!--',
  'begin markers': BEGIN_MARKER,
  bullets: '- ',
  'bullets on lines': '- a\n',
  'accents out of order': '\u0301\u0316',
  'opening tags': '<system ',
  'opened tags': '<memory>',
  'unfinished answers': '{"memories":[',
  'unfinished agents': '"agent_id":"',
  'yaml answers': 'memories:\n- a\n',
  'yaml heads': 'memories:\n\n',
  'beginnings of tokens': '-eyJ',
  'words before secrets': 'password ',
  keys: '-----BEGIN ',
  'cards without end': 'Card A-1 on the board : \u2028',
  sentences: 'We decided it. ',
  emoji: '👩‍',
};
const filled = (unit: string, bytes = MIB) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
const cases = Object.entries(NASTY);

/** Runs each in its own event loop turn. */
async function oneByOne(...looks: (() => unknown)[]): Promise<void> {
  for (const look of looks) {
    await turn();
    look();
  }
}

describe('One mebibyte of hostile text', () => {
  it.each(cases)('%s: does not block the event loop when scanned', async (_, unit) => {
    const text = filled(unit);
    const message = (content: string) => ({ role: 'user', content, at: null });
    const comparable = { title: filled(unit, 500), body: filled(unit, 8000) };
    const answer = { memories: [{ title: text, body: text }] } as unknown as SearchAnswer;
    const hold = await longestHold(() =>
      oneByOne(
        () => keepSpoken([message(text)]),
        () => holdsSecret(text),
        () => summariseCard([message(text), message(text)]),
        () => summariseCard([message(`Card A-1 on the board ${text}`), message(text)]),
        () => isSameMemory(comparable, { ...comparable, title: 'a' }),
        () => searchMarkdown(answer),
      ),
    );
    expect(hold).toBeLessThan(BOUND_MS);
  });

  it.each(cases)('%s: does not block the event loop as a MEMORY.md', async (_, unit) => {
    const content = Buffer.from(`${BEGIN_MARKER}\n${filled(unit)}\n${END_MARKER}${filled(unit)}`);
    const memory = {
      id: '1',
      kind: 'fact',
      title: filled(unit, 500),
      body: filled(unit, 2000),
      description: null,
    };
    const digest = 'a1b2c3d4e5f6';
    const hold = await longestHold(async () => {
      const file = splitFile(content);
      const { entries, text } = buildSection(Array(50).fill(memory), { bytes: 25_000, lines: 195 });
      await oneByOne(
        () => sizeAround(file),
        () => findEdits({ digest, entries }, { ...parseSection(file.section ?? ''), digest }),
        () => joinFile(file, text(digest)),
      );
    });
    expect(hold).toBeLessThan(BOUND_MS);
  });
});

describe('Requests and jobs with hostile text', () => {
  let world: MemoryWorld;
  let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;
  /** Extracts nothing: other tests cover the rules. */
  const model = createServer((_, response) =>
    response.end(JSON.stringify({ choices: [{ message: { content: '{"memories": []}' } }] })),
  );
  const some = [
    'blanks',
    'headings with blanks',
    'accents out of order',
    'opening tags',
    'unfinished answers',
  ];

  beforeAll(async () => {
    await new Promise<void>((done) => model.listen(0, '127.0.0.1', done));
    const { port } = model.address() as AddressInfo;
    world = await startMemoryWorld({ MODEL_URL: `http://127.0.0.1:${port}/v1` });
    acme = await world.workspace();
  });
  afterAll(async () => {
    await world.stop();
    model.close();
  });

  it.each(some)(
    'do not block the event loop for %s in any text field',
    async (name) => {
      const unit = NASTY[name]!;
      const agent_id = world.agentId();
      const text = filled(unit);
      const body = `a${filled(unit, MIB - 1)}`;
      const answers: number[] = [];
      const note = async (answer: Promise<{ statusCode: number }>) => {
        answers.push((await answer).statusCode);
      };
      const messages = [
        { role: 'user', content: `Card A-1 on the board ${text}` },
        { role: 'assistant', content: text.slice(0, MIB / 4) },
      ];
      const hold = await longestHold(async () => {
        const { id } = await acme.made({ agent_id, title: 'Nasty', body });
        for (const format of ['md', 'yaml', 'json']) await note(acme.search(agent_id, { format }));
        await note(acme.change(id, { body }));
        for (const field of ['title', 'body', 'description', 'kind', 'importance', 'agent_id'])
          await note(acme.create({ agent_id, [field]: text }));
        await note(acme.create({ agent_id, tags: [text] }));
        await note(acme.create({ agent_id, tags: Array(100).fill(filled(unit, 200)) }));
        await note(acme.source({ agent_id, source_type: 'claude_code', config: { path: text } }));
        await note(acme.source({ agent_id, source_type: 'agentboard', config: { note: text } }));
        await note(acme.push({ agent_id, source_type: 'openclaw', external_id: text, messages: [] }));
        await note(acme.push({ agent_id, source_type: 'openclaw', external_id: '1', messages }));
        await note(acme.push({ agent_id, source_type: 'agentboard', external_id: '1', messages }));
        await world.runJob('memory-pickup');
        await world.runJob('memory-export');
      });
      expect(answers.filter((status) => status >= 500)).toEqual([]);
      expect((await acme.get(`/conversations?agent_id=${agent_id}&status=done`)).json().total).toBe(2);
      expect(hold).toBeLessThan(BOUND_MS);
    },
    300_000,
  );

  it('do not block the event loop in a search that matches only the longest text', async () => {
    const agent_id = world.agentId();
    for (let i = 0; i < 8; i += 1)
      await acme.made({ agent_id, title: `Long ${i}`, body: `a${filled('`', MIB - 1)}` });
    for (const format of ['md', 'yaml', 'json']) {
      let answer: Awaited<ReturnType<typeof acme.search>> | undefined;
      const hold = await longestHold(async () => {
        answer = await acme.search(agent_id, { format, limit: '50' });
      });
      expect(answer!.statusCode).toBe(200);
      expect(answer!.body.match(/Long \d/g)).toHaveLength(8);
      expect([format, hold < BOUND_MS]).toEqual([format, true]);
    }
    expect((await acme.found(agent_id, { limit: '50' })).memories[0]!.body).toHaveLength(MIB);
  });

  it('do not block the event loop for session files, two of which contain no messages', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id });
    const folder = join(world.config.sourcesDir, String(acme.brand.brand_id), 'nasty');
    await mkdir(folder, { recursive: true });
    for (const unit of [...some.map((name) => NASTY[name]!), '{\n', '\n', '{}\n', '[']) {
      const line = JSON.stringify({ type: 'user', message: { content: filled(unit) } });
      await writeFile(
        join(folder, `${unit.codePointAt(0)}${unit.length}.jsonl`),
        `${filled(unit, MIB / 8)}\n${line}\n`,
      );
    }
    await acme.source({ agent_id, source_type: 'claude_code', config: { path: 'nasty' } });
    expect(await longestHold(() => world.runJob('memory-pickup'))).toBeLessThan(BOUND_MS);
    expect((await acme.get(`/sources?agent_id=${agent_id}`)).json().sources[0].error).toBeNull();
    expect((await acme.get(`/conversations?agent_id=${agent_id}&status=done`)).json().total).toBe(7);
  });
});
