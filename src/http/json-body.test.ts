import { describe, expect, it } from 'vitest';
import { ApiError } from '../kernel/errors.js';
import { parseJsonBody } from './json-body.js';

const parse = (body: string | Buffer) => parseJsonBody(Buffer.from(body));

function refusal(body: string | Buffer): [number, unknown] {
  try {
    parse(body);
  } catch (error) {
    if (error instanceof ApiError) return [error.status, error.detail];
    throw error;
  }
  throw new Error('was accepted');
}

describe('a JSON body', () => {
  it('is taken as it is, and an empty one is none', () => {
    expect(parse('{"a":[1,"ä","🎉","\\u00e4","\\ud83c\\udf89"]}')).toEqual({ a: [1, 'ä', '🎉', 'ä', '🎉'] });
    expect(parse('')).toBeUndefined();
    expect(parse(' \r\n\t ')).toBeUndefined();
  });

  it.each(['{', '{"a":1,}', "{'a':1}", 'undefined', '{"a":NaN}', '\ufeff{}', '{}{}', '{"a":"\u0000"}'])(
    'is refused when it is no JSON: %j',
    (text) => expect(refusal(text)).toEqual([422, 'The body is not valid JSON']),
  );

  it('is refused when its bytes are no UTF-8', () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expect(refusal(body)).toEqual([422, 'The body is not valid UTF-8']);
    }
  });

  it('is refused with NUL or half a character, and the field is named', () => {
    expect(refusal('{"a":{"b":["x","\\u0000"]}}')[1]).toBe(
      'a.b[1] must not contain characters that are no text',
    );
    expect(refusal('{"title":"\\uD800"}')[1]).toBe('title must not contain characters that are no text');
    expect(refusal('"\\udc00"')[1]).toBe('The body must not contain characters that are no text');
    expect(refusal('{"\\u0000":1}')[0]).toBe(422);
  });

  it('is refused with a key that would reach the prototype, however it is spelled', () => {
    const known = [422, '__proto__ is not a known field'];
    expect(refusal('{"__proto__":{"admin":true}}')).toEqual(known);
    expect(refusal('{"a":[{"\\u005f_proto__":1}]}')).toEqual(known);
    expect(refusal('{"__pr\\u006Fto__":1}')).toEqual(known);
    expect(parse('{"a":"__proto__"}')).toEqual({ a: '__proto__' });
  });

  it('is refused when it is nested deeper than 64, and the depth of text does not count', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parse(`{"a":${nested(63)}}`)).toBeTruthy();
    expect(refusal(`{"a":${nested(64)}}`)).toEqual([422, 'The body is nested too deeply']);
    expect(refusal('['.repeat(1_000_000))[0]).toBe(422);
    expect(parse(JSON.stringify({ a: '[{'.repeat(100), b: '"\\' }))).toBeTruthy();
  });
});
