import { broken } from '../failure.js';

type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readObject(path: string, text: string | null): Json {
  if (text === null || text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw broken(`${path} is not valid JSON`, 'Fix the file and try again. Nothing was changed.');
  }
  if (!isObject(value))
    throw broken(
      `${path} does not contain a JSON object`,
      'Fix the file and try again. Nothing was changed.',
    );
  return value;
}

export function writeObject(before: string | null, value: Json): string {
  const indent = /^[{[]\r?\n([ \t]+)/.exec(before ?? '')?.[1] ?? '  ';
  const isLine = before !== null && before.trim() !== '' && !before.trimEnd().includes('\n');
  const text = isLine ? JSON.stringify(value) : JSON.stringify(value, null, indent);
  const end = before === null || before.trim() === '' || before.endsWith('\n') ? '\n' : '';
  const whole = text + end;
  return before?.includes('\r\n') ? whole.replace(/\n/g, '\r\n') : whole;
}

export const equals = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
