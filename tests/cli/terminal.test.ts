import { describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { createOutput, type Form } from '../../cli/src/output/output.js';
import { widthOf } from '../../cli/src/output/table.js';

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

function speak(isTTY: boolean, env: Record<string, string> = {}, form: Form = {}, width = 50) {
  const said = { out: '', error: '' };
  const stream = (into: 'out' | 'error') => ({
    isTTY,
    columns: width,
    write(text: string) {
      said[into] += text;
    },
  });
  return { said, output: createOutput({ stdout: stream('out'), stderr: stream('error') }, env, form) };
}

describe('Output on a terminal', () => {
  it('prints lists as colored tables with a heading, as wide as the terminal', () => {
    const { said, output } = speak(true);
    output.list(rows, columns);
    const lines = said.out.trimEnd().split('\n');
    expect(lines[0]).toContain('REF');
    expect(said.out).toContain('\u001b[32mdone\u001b[39m');
    expect(said.out).toContain('…');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are taken out
    for (const line of lines) expect(line.replace(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(50);
  });

  it('uses a default width if the terminal reports none', () => {
    const { said, output } = speak(true, {}, {}, 0);
    output.list(rows, columns);
    expect(said.out).toContain(rows[1]!.title);
  });

  it('honors NO_COLOR unless it is empty', () => {
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

  it('shows a progress bar on stderr for long work', () => {
    const { said, output } = speak(true);
    const progress = output.progress('Pushing');
    progress.update(5, 10);
    progress.end();
    expect(said.error).toContain('5/10');
    expect(said.error).toContain('█');
    expect(said.out).toBe('');
  });

  it('shows a moving bar for work of unknown length, and hides it while text is printed', async () => {
    const { said, output } = speak(true);
    const waiting = output.waiting('Building');
    await vi.waitFor(() => expect(said.error.match(/█+░+/g)).toHaveLength(2), { timeout: 120_000 });
    expect(new Set(said.error.match(/░*█+░*/g)).size).toBe(2);
    waiting.around('half a line', () => output.text('half a line'));
    expect(said.error.endsWith('\r\u001b[2K')).toBe(true);
    const before = said.error;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(said.error, 'over half a line nothing is drawn').toBe(before);
    waiting.end();
  });

  it('prints a sentence for an empty list', () => {
    const { said, output } = speak(true);
    output.list([], columns, 'No cards here.');
    expect(said).toEqual({ out: '', error: 'No cards here.\n' });
  });
});

describe('Piped output', () => {
  it('pipes only data, without progress bar or colors', () => {
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

describe('Text written by other people', () => {
  const hostile = 'a\u001b[2J\u009b31mb\u202ec\u2066d\u061ce\u007ff';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u202e\u2066]/;

  it("other people's text cannot control the terminal in any output format", () => {
    const title = [{ title: 'title', of: (row: { title: string }) => row.title }];
    const forms: Form[] = [{}, { json: true }, { json: 'title' }, { toYaml: stringify }];
    for (const form of forms) {
      const { said, output } = speak(true, { NO_COLOR: '1' }, form);
      output.list([{ title: hostile }], title);
      output.record({ title: hostile }, [['title', hostile]], hostile);
      output.document(hostile);
      expect(said.out).not.toMatch(obeyed);
    }
  });

  it("other people's text is unchanged in JSON", () => {
    const { said, output } = speak(true, {}, { json: true });
    output.data({ title: hostile });
    expect(JSON.parse(said.out)).toEqual({ title: hostile });
  });

  it('a piped document is unchanged', () => {
    const { said, output } = speak(false);
    output.document(hostile);
    expect(said.out).toBe(hostile);
  });

  it.each([
    ['e\u0301', 1],
    ['a\u200bb', 2],
    ['長', 2],
    ['\u{20000}', 2],
    ['✅', 2],
    ['🙂', 2],
    ['é', 1],
  ])('text takes as many columns as on a terminal: %s', (text, places) => {
    expect(widthOf(text)).toBe(places);
  });
});
