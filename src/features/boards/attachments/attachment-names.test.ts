import { describe, expect, it } from 'vitest';
import { cleanFileName, disposition } from './attachment-files.js';

describe('Cleaning a file name', () => {
  it.each([
    ['plan.pdf', 'plan.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\notes.txt', 'notes.txt'],
    ['a\r\nSet-Cookie: x=1\r\n.txt', 'aSet-Cookie: x=1.txt'],
    ['invoice\u202egnp.exe', 'invoicegnp.exe'],
    ['a\u200bb\ufeffc.md', 'abc.md'],
    ['  two   words .txt ', 'two words .txt'],
    ['e\u0301te\u0301.png', 'été.png'],
    ['', 'file'],
    ['..', 'file'],
    ['a/', 'file'],
    ['\ud800.txt', '\ufffd.txt'],
    ['.env', '.env'],
    [`${'x'.repeat(300)}.tar`, `${'x'.repeat(196)}.tar`],
    ['👩‍💻'.repeat(120), [...'👩‍💻'.repeat(120)].slice(0, 200).join('')],
    [`a.${'x'.repeat(300)}`, `a.${'x'.repeat(198)}`],
  ])('turns %j into %j', (given, kept) => {
    expect(cleanFileName(given)).toBe(kept);
  });
});

describe('Content-Disposition', () => {
  it('has a fallback name in ASCII and the exact name', () => {
    expect(disposition('attachment', 'a"b\\c%41é(1)*\'.txt')).toBe(
      "attachment; filename=\"a_b_c_41_(1)*'.txt\"; filename*=UTF-8''a%22b%5Cc%2541%C3%A9%281%29%2A%27.txt",
    );
    expect(disposition('inline', 'plan.png')).toBe(
      'inline; filename="plan.png"; filename*=UTF-8\'\'plan.png',
    );
  });
});
