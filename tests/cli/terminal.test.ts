import { describe, expect, it } from 'vitest';
import { createOutput } from '../../cli/src/output/output.js';

const rows = [
  { ref: 'ENG-1', status: 'done', title: 'Short' },
  {
    ref: 'ENG-2',
    status: 'blocked',
    title: '長い題名 that goes on and on and on and on and on and on and on and on',
  },
];
const columns = [
  { title: 'ref', of: (row: (typeof rows)[number]) => row.ref },
  { title: 'status', of: (row: (typeof rows)[number]) => row.status },
  { title: 'title', of: (row: (typeof rows)[number]) => row.title },
];

function speak(isTTY: boolean, env: Record<string, string> = {}) {
  const said = { out: '', error: '' };
  const stream = (into: 'out' | 'error') => ({
    isTTY,
    columns: 50,
    write(text: string) {
      said[into] += text;
    },
  });
  return { said, output: createOutput({ stdout: stream('out'), stderr: stream('error') }, env) };
}

describe('on a terminal', () => {
  it('lists are tables with a head, in colour, and no wider than it is', () => {
    const { said, output } = speak(true);
    output.list(rows, columns);
    const lines = said.out.trimEnd().split('\n');
    expect(lines[0]).toContain('REF');
    expect(said.out).toContain('\u001b[32mdone\u001b[39m');
    expect(said.out).toContain('…');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are taken out
    for (const line of lines) expect(line.replace(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(50);
  });

  it('NO_COLOR is honoured, unless it is empty', () => {
    for (const [value, colours] of [
      ['1', false],
      ['0', false],
      ['', true],
    ] as const) {
      const { said, output } = speak(true, { NO_COLOR: value });
      output.list(rows, columns);
      expect(said.out.includes('\u001b')).toBe(colours);
    }
  });

  it('long work has a bar on the error stream', () => {
    const { said, output } = speak(true);
    const progress = output.progress('Pushing');
    progress.update(5, 10);
    progress.end();
    expect(said.error).toContain('5/10');
    expect(said.error).toContain('█');
    expect(said.out).toBe('');
  });

  it('says in words that there is nothing', () => {
    const { said, output } = speak(true);
    output.list([], columns, 'No cards here.');
    expect(said).toEqual({ out: '', error: 'No cards here.\n' });
  });
});

describe('piped', () => {
  it('there is no bar, no colour and nothing but the data', () => {
    const { said, output } = speak(false, { FORCE_COLOR: '1' });
    output.list(rows, columns);
    output.list([], columns, 'No cards here.');
    const progress = output.progress('Pushing');
    progress.update(5, 10);
    progress.end();
    expect(said.out).toBe(`ENG-1\tdone\tShort\nENG-2\tblocked\t${rows[1]!.title}\n`);
    expect(said.error).toBe('');
  });
});
