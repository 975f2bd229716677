import { cleanJson, cleanText } from './clean.js';
import { moodOf, type Paint, painter, wantsColour } from './colour.js';
import { pickFields } from './fields.js';
import { createProgress, createWaiting } from './progress.js';
import { type Column, cellText, drawTable, tabbed, widthOf } from './table.js';

export interface Stream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export interface Form {
  /** `true`, or the requested fields. */
  json?: string | true | undefined;
  toYaml?: ((value: unknown) => string) | undefined;
}

/** For terminals that report no width, or a width of 0, as some emulators do. */
const USUAL_WIDTH = 100;

export type Output = ReturnType<typeof createOutput>;

/** Prints results as data, a table or tab-separated lines, depending on the flags and on the terminal. */
export function createOutput(
  { stdout, stderr }: { stdout: Stream; stderr: Stream },
  env: Record<string, string | undefined>,
  form: Form = {},
) {
  const isTerminal = stdout.isTTY === true;
  const paint: Paint = painter(wantsColour(env, isTerminal));
  const isData = form.json !== undefined || form.toYaml !== undefined;

  const pick = (value: unknown) =>
    (typeof form.json === 'string' ? pickFields(value, form.json) : value) ?? null;
  const yaml = (value: unknown) => {
    const text = form.toYaml!(value);
    return isTerminal ? cleanText(text) : text;
  };

  function data(value: unknown): void {
    const picked = pick(value);
    stdout.write(form.toYaml ? yaml(picked) : `${cleanJson(JSON.stringify(picked, null, 2))}\n`);
  }

  return {
    isTerminal,
    isData,
    paint,

    /** Prints records of one kind. `nothing` is shown to people instead of an empty list. */
    list<T>(rows: readonly T[], columns: readonly Column<T>[], nothing = 'No results.'): void {
      if (isData) data(rows);
      else if (!isTerminal) stdout.write(tabbed(rows, columns));
      else if (rows.length === 0) stderr.write(`${nothing}\n`);
      else stdout.write(drawTable(rows, columns, stdout.columns || USUAL_WIDTH, paint));
    },

    /** Says on stderr that a list is incomplete, so that data on stdout stays valid. */
    part(shown: number, total: number | undefined, how: string): void {
      if (total !== undefined && shown >= total) return;
      const count = (number: number) => number.toLocaleString('en');
      stderr.write(
        total === undefined
          ? `${count(shown)} shown, and there are more; ${how}\n`
          : `${count(shown)} of ${count(total)} shown; ${how}\n`,
      );
    },

    /** Prints one record, one line per field that has a value. */
    record(value: unknown, facts: readonly (readonly [string, unknown])[], body?: string | null): void {
      if (isData) {
        data(value);
        return;
      }
      const known = facts.filter(([, fact]) => cellText(fact) !== '');
      const width = Math.max(0, ...known.map(([name]) => widthOf(name)));
      for (const [name, fact] of known) {
        const text = cellText(fact);
        const mood = moodOf(text);
        stdout.write(`${paint('dim', name.padEnd(width))}  ${mood ? paint(mood, text) : text}\n`);
      }
      if (body) stdout.write(`\n${cleanText(body).trimEnd()}\n`);
    },

    /** Prints the result of an action, as data if requested. */
    done(value: unknown, sentence: string): void {
      if (isData) data(value);
      else stdout.write(`${cleanText(sentence)}\n`);
    },

    /** Prints one record of a stream; as JSON, one line each. */
    event(value: unknown, line: string): void {
      if (form.toYaml) stdout.write(`---\n${yaml(pick(value))}`);
      else if (form.json !== undefined) stdout.write(`${cleanJson(JSON.stringify(pick(value)))}\n`);
      else stdout.write(`${line}\n`);
    },

    data,
    text: (text: string) => void stdout.write(text),
    /** Prints other people's text unchanged, but without control sequences on a terminal. */
    document: (text: string) => void stdout.write(isTerminal ? cleanText(text) : text),
    note: (text: string) => void stderr.write(`${cleanText(text)}\n`),
    progress: (label: string) => createProgress(stderr, label, paint),
    waiting: (label: string) => createWaiting(stderr, label, paint),
  };
}
