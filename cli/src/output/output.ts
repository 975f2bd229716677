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
  /** `true`, or the fields that are wanted. */
  json?: string | true | undefined;
  /** YAML is wanted, and this writes it. */
  toYaml?: ((value: unknown) => string) | undefined;
}

/** Of a terminal that does not say, or says that it has none: programs that pose as one do. */
const USUAL_WIDTH = 100;

export type Output = ReturnType<typeof createOutput>;

/** Everything that is said, in the form that was asked for and that fits who listens. */
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

    /** Records of one kind. `nothing` is what a person is told when there are none. */
    list<T>(rows: readonly T[], columns: readonly Column<T>[], nothing = 'Nothing here yet.'): void {
      if (isData) data(rows);
      else if (!isTerminal) stdout.write(tabbed(rows, columns));
      else if (rows.length === 0) stderr.write(`${nothing}\n`);
      else stdout.write(drawTable(rows, columns, stdout.columns || USUAL_WIDTH, paint));
    },

    /** Says that a list is a part of what there is; beside the list, so that what reads it as data is not disturbed. */
    part(shown: number, total: number | undefined, how: string): void {
      if (total !== undefined && shown >= total) return;
      const count = (number: number) => number.toLocaleString('en');
      stderr.write(
        total === undefined
          ? `${count(shown)} shown, and there are more; ${how}\n`
          : `${count(shown)} of ${count(total)} shown; ${how}\n`,
      );
    },

    /** One record, a line for each fact that there is. */
    record(value: unknown, facts: readonly (readonly [string, unknown])[], body?: string | null): void {
      if (isData) {
        data(value);
        return;
      }
      const told = facts.filter(([, fact]) => cellText(fact) !== '');
      const width = Math.max(0, ...told.map(([name]) => widthOf(name)));
      for (const [name, fact] of told) {
        const text = cellText(fact);
        const mood = moodOf(text);
        stdout.write(`${paint('dim', name.padEnd(width))}  ${mood ? paint(mood, text) : text}\n`);
      }
      if (body) stdout.write(`\n${cleanText(body).trimEnd()}\n`);
    },

    /** What was done, as data for who asked for data. */
    done(value: unknown, sentence: string): void {
      if (isData) data(value);
      else stdout.write(`${cleanText(sentence)}\n`);
    },

    /** One of many that come one after the other: a line of JSON each. */
    event(value: unknown, line: string): void {
      if (form.toYaml) stdout.write(`---\n${yaml(pick(value))}`);
      else if (form.json !== undefined) stdout.write(`${cleanJson(JSON.stringify(pick(value)))}\n`);
      else stdout.write(`${line}\n`);
    },

    data,
    text: (text: string) => void stdout.write(text),
    /** What others wrote, as it is; a terminal is spared what it would obey. */
    document: (text: string) => void stdout.write(isTerminal ? cleanText(text) : text),
    note: (text: string) => void stderr.write(`${cleanText(text)}\n`),
    progress: (label: string) => createProgress(stderr, label, paint),
    waiting: (label: string) => createWaiting(stderr, label, paint),
  };
}
