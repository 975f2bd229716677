import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../kernel/errors.js';
import { JsonShape, parseJson, receiveJson } from './json-body.js';

const parse = async (body: string | Buffer) => {
  const payload = Readable.from([Buffer.from(body)]);
  const rule = { limit: 5 * 1024 * 1024, encoding: undefined };
  return (await parseJson(await receiveJson(payload, rule), rule, 'test')).value;
};

async function refusal(body: string | Buffer): Promise<[number, unknown]> {
  try {
    await parse(body);
  } catch (error) {
    if (error instanceof ApiError) return [error.status, error.detail];
    throw error;
  }
  throw new Error('was accepted');
}

describe('JSON body', () => {
  it('is parsed unchanged, and an empty body is undefined', async () => {
    expect(await parse('{"a":[1,"ä","🎉","\\u00e4","\\ud83c\\udf89"]}')).toEqual({
      a: [1, 'ä', '🎉', 'ä', '🎉'],
    });
    expect(await parse('')).toBeUndefined();
    expect(await parse(' \r\n\t ')).toBeUndefined();
  });

  it.each(['{', '{"a":1,}', "{'a':1}", 'undefined', '{"a":NaN}', '\ufeff{}', '{}{}', '{"a":"\u0000"}'])(
    'returns 422 when it is not JSON: %j',
    async (text) => expect(await refusal(text)).toEqual([422, 'The body is not valid JSON']),
  );

  it('returns 422 when it is not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expect(await refusal(body)).toEqual([422, 'The body is not valid UTF-8']);
    }
  });

  it('returns 422 with the field name for a NUL or half a surrogate pair', async () => {
    expect((await refusal('{"a":{"b":["x","\\u0000"]}}'))[1]).toBe(
      'a.b[1] must not contain characters that are no text',
    );
    expect((await refusal('{"title":"\\uD800"}'))[1]).toBe(
      'title must not contain characters that are no text',
    );
    expect((await refusal('"\\udc00"'))[1]).toBe('The body must not contain characters that are no text');
    expect((await refusal('{"\\u0000":1}'))[0]).toBe(422);
  });

  it('returns 422 for a __proto__ key in any spelling', async () => {
    const known = [422, '__proto__ is not a known field'];
    expect(await refusal('{"__proto__":{"admin":true}}')).toEqual(known);
    expect(await refusal('{"a":[{"\\u005f_proto__":1}]}')).toEqual(known);
    expect(await refusal('{"__pr\\u006Fto__":1}')).toEqual(known);
    expect(await parse('{"a":"__proto__"}')).toEqual({ a: '__proto__' });
  });

  it('returns 422 when nested deeper than 64, not counting brackets in text', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(await parse(`{"a":${nested(63)}}`)).toBeTruthy();
    expect(await refusal(`{"a":${nested(64)}}`)).toEqual([422, 'The body must not be nested deeper than 64']);
    expect((await refusal('['.repeat(1_000_000)))[0]).toBe(422);
    expect(await parse(JSON.stringify({ a: '[{'.repeat(100), b: '"\\' }))).toBeTruthy();
  });

  it('returns 422 with more than 100,000 values in any arrangement', async () => {
    const many = [422, 'The body must not have more than 100,000 values'];
    const list = (length: number, item = '1') => `[${Array(length).fill(item).join(',')}]`;
    expect(await parse(`{"a": ${list(99_998)} }`)).toBeTruthy();
    expect(await refusal(`{"a": ${list(99_999)} }`)).toEqual(many);
    expect(await parse(list(99_999, '{ }'))).toBeTruthy();
    expect(await refusal(list(100_000, '{ }'))).toEqual(many);
    expect(await refusal(list(50_000, '[0]'))).toEqual(many);
    expect(await refusal(`{${Array(100_000).fill('"a":1').join(',')}}`)).toEqual(many);
    expect(await parse(JSON.stringify({ a: ',[{'.repeat(100_000), b: '\\",",' }))).toBeTruthy();
  });

  it('is measured the same in chunks of any size', () => {
    const text = Buffer.from('{"a\\"[":["\\\\",{}, [ ] ,[1,"[[,,"]],"ü":{"b":null}}');
    for (let at = 0; at <= text.length; at++) {
      const shape = new JsonShape();
      shape.look(text.subarray(0, at));
      shape.look(text.subarray(at));
      expect([shape.values, shape.deepest], String(at)).toEqual([10, 3]);
    }
  });
});
