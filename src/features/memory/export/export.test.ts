import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BEGIN_MARKER, END_MARKER } from '../records/memory.record.js';
import { correctedFields, findEdits, isCorrection } from './corrections.js';
import { buildSection, joinFile, type ListedMemory, parseSection, splitFile } from './memory-file.js';

const ROOM = { bytes: 25_000, lines: 195 };
const memory = (id: string, fields: Partial<ListedMemory> = {}): ListedMemory => ({
  id,
  kind: 'fact',
  title: `Title ${id}`,
  body: `Body ${id}`,
  description: null,
  ...fields,
});
const DIGEST = 'a1b2c3d4e5f6';
const edits = (memories: ListedMemory[], edit: (text: string) => string, digest = DIGEST) => {
  const { entries, text } = buildSection(memories, ROOM);
  const found = findEdits({ digest, entries }, parseSection(edit(text(DIGEST))));
  return (
    found && {
      changed: found.lines.filter(isCorrection),
      removed: found.removed,
      added: found.lines.filter(({ entry }) => entry === undefined),
    }
  );
};

describe('Memory section', () => {
  it('parses back to the written entries for any memory text', () => {
    const line = fc.string({ minLength: 1, maxLength: 80 }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(fc.array(fc.tuple(line, line), { maxLength: 50 }), (texts) => {
        const memories = texts.map(([title, body], i) => memory(String(i), { title, body }));
        expect(edits(memories, (text) => text)).toEqual({ changed: [], removed: [], added: [] });
        const text = buildSection(memories, ROOM).text(DIGEST);
        expect(text.split(BEGIN_MARKER)).toHaveLength(2);
        expect(text.split(END_MARKER)).toHaveLength(2);
      }),
    );
  });

  it('drops details before it drops a title', () => {
    const memories = Array.from({ length: 50 }, (_, i) =>
      memory(String(i), { title: `${'t'.repeat(450)} ${i}.`, body: 'b'.repeat(3000) }),
    );
    const text = buildSection(memories, ROOM).text(DIGEST);
    expect(Buffer.byteLength(text)).toBeLessThan(ROOM.bytes);
    for (const { title } of memories) expect(text).toContain(title);
  });
});

describe('findEdits', () => {
  const three = [
    memory('1', { title: 'Alpha is first' }),
    memory('2', { title: 'Beta is second' }),
    memory('3', { title: 'Gamma is third' }),
  ];

  it('detects a changed title, a changed detail, a removed line and an added line', () => {
    expect(edits(three, (text) => text.replace('Beta is second', 'Beta is number two'))).toMatchObject({
      changed: [{ entry: { id: '2' }, title: 'Beta is number two' }],
      removed: [],
      added: [],
    });
    expect(edits(three, (text) => text.replace('Body 3', 'Another body'))).toMatchObject({
      changed: [{ entry: { id: '3' }, detail: 'Another body' }],
    });
    expect(edits(three, (text) => text.replace('- Beta is second\n  Body 2\n', ''))).toMatchObject({
      changed: [],
      removed: [{ id: '2' }],
      added: [],
    });
    expect(edits(three, (text) => text.replace(END_MARKER, `- Delta is new\n${END_MARKER}`))).toMatchObject({
      removed: [],
      added: [{ title: 'Delta is new' }],
    });
  });

  it('matches a rewritten line in the same place to the same memory', () => {
    expect(
      edits(three, (text) => text.replace('- Beta is second\n  Body 2', '- Completely different words')),
    ).toMatchObject({
      changed: [{ entry: { id: '2' }, title: 'Completely different words' }],
      removed: [],
      added: [],
    });
  });

  it('returns nothing for another export or a file that was reset', () => {
    expect(edits(three, (text) => text, '000000000000')).toBeUndefined();
    expect(edits(three, () => `${BEGIN_MARKER}\n${END_MARKER}`)).toBeUndefined();
  });

  it('returns nothing for more lines than a person would write', () => {
    const filled = (lines: number) => (text: string) =>
      text.replace(
        END_MARKER,
        `${Array.from({ length: lines }, (_, i) => `- Line ${i}`).join('\n')}\n${END_MARKER}`,
      );
    expect(edits(three, filled(198))).toBeUndefined();
    expect(edits(three, filled(197))).toMatchObject({ removed: [], added: { length: 197 } });
  });
});

describe('correctedFields', () => {
  it('puts an edited opening before the rest of a long body', () => {
    const body = `It began on Monday. ${'More follows. '.repeat(80)}`.trim();
    const section = buildSection([memory('1', { body })], ROOM);
    const [entry] = section.entries;
    const fields = correctedFields(
      { entry: entry!, title: entry!.title, detail: entry!.detail.replace('Monday', 'Friday') },
      { title: 'Title 1', body, description: null },
    );
    expect(fields.body).toBe(body.replace('Monday', 'Friday'));
  });
});

describe('splitFile and joinFile', () => {
  it('keep every byte outside the section', () => {
    const outside = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(outside, outside, (before, after) => {
        const file = Buffer.concat([before, Buffer.from(`${BEGIN_MARKER}\nx\n${END_MARKER}`), after]);
        const next = joinFile(splitFile(file), 'NEW');
        expect(next.equals(Buffer.concat([before, Buffer.from('NEW'), after]))).toBe(true);
      }),
    );
  });
});
