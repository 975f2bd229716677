import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KNOWN, startHttp, type TestServer } from '../../../../tests/support/http.js';
import { memberAccess, route } from '../declaration/route.js';

const MOST = 5 * 1024 * 1024;
let http: TestServer;

beforeAll(async () => {
  http = await startHttp([
    route({
      name: 'do_things',
      method: 'POST',
      path: '/photo',
      summary: 'A test',
      tags: ['Test'],
      access: memberAccess(),
      upload: { field: 'file', maxBytes: MOST, description: 'A picture' },
      responses: { 200: Type.Any() },
      errors: [],
      handler: ({ file }) => ({ size: file?.bytes.length, first: file?.bytes[0], tooLarge: file?.tooLarge }),
    }),
  ]);
});

afterAll(() => http.server.close());

function form(parts: { name: string; bytes: Buffer; filename?: string }[]): Buffer {
  const pieces = parts.flatMap(({ name, bytes, filename }) => [
    Buffer.from(
      `--edge\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from('--edge--\r\n')]);
}

const post = (payload: Buffer, type = 'multipart/form-data; boundary=edge') =>
  http.inject({ method: 'POST', url: '/photo', headers: { ...KNOWN.bearer, 'content-type': type }, payload });

const file = (bytes: Buffer, name = 'file') => ({ name, bytes, filename: 'x.png' });

describe('Upload', () => {
  it('is complete at the size limit, and one byte more is too large', async () => {
    expect((await post(form([file(Buffer.alloc(MOST, 7))]))).json()).toEqual({
      size: MOST,
      first: 7,
      tooLarge: false,
    });
    expect((await post(form([file(Buffer.alloc(MOST + 1, 7))]))).json()).toMatchObject({
      size: MOST,
      tooLarge: true,
    });
    expect((await post(form([file(Buffer.alloc(MOST + 300_000, 7))]))).json()).toMatchObject({
      tooLarge: true,
    });
  });

  it('may be empty and may follow other fields', async () => {
    expect((await post(form([file(Buffer.alloc(0))]))).json()).toEqual({ size: 0, tooLarge: false });
    const others = [
      { name: 'note', bytes: Buffer.from('hello') },
      file(Buffer.from([1]), 'other'),
      file(Buffer.from([2])),
    ];
    expect((await post(form(others))).json()).toEqual({ size: 1, first: 2, tooLarge: false });
  });

  it('returns 422 with the field name when the file is missing', async () => {
    for (const parts of [
      [],
      [{ name: 'file', bytes: Buffer.from('no file') }],
      [file(Buffer.from([1]), 'photo')],
    ]) {
      const answer = await post(form(parts));
      expect([answer.statusCode, answer.json()]).toEqual([422, { detail: 'file is required' }]);
    }
  });

  it('returns 422 with the field name when there is no body', async () => {
    const answer = await http.inject({ method: 'POST', url: '/photo', headers: KNOWN.bearer });
    expect([answer.statusCode, answer.json()]).toEqual([422, { detail: 'file is required' }]);
  });

  it('returns 415 for another content type', async () => {
    expect((await post(Buffer.from('{}'), 'application/json')).statusCode).toBe(415);
    expect((await post(Buffer.from('x'), 'image/png')).statusCode).toBe(415);
  });

  it('returns 422 when it is truncated or malformed', async () => {
    const whole = form([file(Buffer.alloc(1_000, 7))]);
    for (const body of [whole.subarray(0, 500), Buffer.from('nonsense'), Buffer.alloc(0)])
      expect((await post(body)).statusCode, body.toString().slice(0, 20)).toBe(422);
    expect((await post(whole, 'multipart/form-data')).statusCode).toBe(422);
  });

  it('returns 422 when it has too many parts', async () => {
    const many = Array.from({ length: 40 }, (_, n) => ({ name: `n${n}`, bytes: Buffer.from('x') }));
    expect((await post(form([...many, file(Buffer.from([1]))]))).statusCode).toBe(422);
  });
});
