import { describe, expect, it } from 'vitest';
import { foldAccountName, isSameAddress } from './addresses.js';

describe('Account name', () => {
  it.each([
    ['ADA@Example.TEST', 'ada@example.test'],
    ['ａｄａ＠ｅｘａｍｐｌｅ．ｔｅｓｔ', 'ada@example.test'],
    ['straße@example.test', 'strasse@example.test'],
    ['STRAẞE@example.test', 'strasse@example.test'],
    ['ΑΓΙΟΣ@example.test', 'αγιοσ@example.test'],
    ['αγιος@example.test', 'αγιοσ@example.test'],
    ['ﬁona@example.test', 'fiona@example.test'],
    ['\u212Aelvin@example.test', 'kelvin@example.test'],
    ['e\u0301va@example.test', 'éva@example.test'],
    ['ada@xn--strae-oqa.test', 'ada@strasse.test'],
    ['ada@XN--bcher-kva.test', 'ada@bücher.test'],
  ])('folds %s to %s', (email, name) => {
    expect(foldAccountName(email)).toBe(name);
  });

  it.each(['admİn@example.test', 'admın@example.test'])(
    'keeps %s distinct from the admin address',
    (email) => {
      expect(foldAccountName(email)).not.toBe(foldAccountName('admin@example.test'));
      expect(foldAccountName(foldAccountName(email))).toBe(foldAccountName(email));
    },
  );

  it('does not change when folded twice, for any character', () => {
    for (let code = 0x20; code < 0x2_0000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const name = foldAccountName(String.fromCodePoint(code));
      if (foldAccountName(name) !== name) expect.fail(`U+${code.toString(16)}`);
    }
  });
});

describe('isSameAddress', () => {
  it.each([
    ['ADA@Example.TEST', 'ada@example.test'],
    ['ada@straße.test', 'ada@XN--STRAE-OQA.test'],
    ['ada@ｅxample.test', 'ada@example.test'],
  ])('treats %s and %s as the same mailbox', (one, other) => {
    expect(isSameAddress(one, other)).toBe(true);
  });

  it.each([
    ['ada@straße.test', 'ada@strasse.test'],
    ['ａda@example.test', 'ada@example.test'],
    ['straße@example.test', 'strasse@example.test'],
    ['\u212Aelvin@example.test', 'kelvin@example.test'],
    ['ÄDA@example.test', 'äda@example.test'],
    ['ada@ex%41mple.test', 'ada@example.test'],
    ['ada@example.test', 'ada@example.test.evil.test'],
  ])('treats %s and %s as different mailboxes', (one, other) => {
    expect(isSameAddress(one, other)).toBe(false);
  });
});
