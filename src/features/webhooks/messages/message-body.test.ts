import { describe, expect, it } from 'vitest';
import { LARGEST_MESSAGE, writeBody } from './outbox.js';

const at = new Date('2026-01-02T03:04:05.678Z');
const told = (data: Record<string, unknown>) => {
  const body = writeBody({ type: 'task.updated', at, data });
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(LARGEST_MESSAGE);
  return JSON.parse(body).data;
};
/** Data whose message has exactly this many bytes. */
const sized = (bytes: number) => {
  const empty = Buffer.byteLength(writeBody({ type: 'task.updated', at, data: { id: 'a', text: '' } }));
  return { id: 'a', text: 'x'.repeat(bytes - empty) };
};

describe('Message body', () => {
  it('is {type, timestamp, data}', () => {
    expect(JSON.parse(writeBody({ type: 'task.updated', at, data: { id: 1 } }))).toEqual({
      type: 'task.updated',
      timestamp: '2026-01-02T03:04:05.678Z',
      data: { id: 1 },
    });
  });

  it('has at most 256 KiB: longer texts are cut and data.truncated is true', () => {
    expect(told(sized(256 * 1024)).truncated).toBeUndefined();
    const cut = told(sized(256 * 1024 + 1));
    expect(cut).toMatchObject({ id: 'a', truncated: true });
    expect(cut.text).toBe('x'.repeat(16 * 1024));
  });

  it('is measured in bytes and never cut inside a character', () => {
    const { text, truncated } = told({ text: `a${'🎉'.repeat(100_000)}` });
    expect(truncated).toBe(true);
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeGreaterThan(1000);
  });

  it('keeps only ids when the data is too large without long texts', () => {
    const cut = told({ board_id: 'b', entry: { ids: Array.from({ length: 100_000 }, (_, n) => n) } });
    expect(cut).toEqual({ board_id: 'b', truncated: true });
  });
});
