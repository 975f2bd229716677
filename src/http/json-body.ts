import { isUtf8 } from 'node:buffer';
import { unprocessable } from '../kernel/errors.js';

const MAX_DEPTH = 64;

/** Parses a request body and refuses what could not be stored or would exhaust the stack further in. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw unprocessable('The body is not valid UTF-8');
  const text = bytes.toString();
  if (text.trim() === '') return undefined;
  if (deeperThan(text, MAX_DEPTH)) throw unprocessable('The body is nested too deeply');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unprocessable('The body is not valid JSON');
  }
  // An escape can spell any of these characters, also in the name of a key.
  if (/\\u(?:00[0-7]|d[89a-f])|__proto__/i.test(text)) refuseUnsuitable(value, '');
  return value;
}

function deeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

function refuseUnsuitable(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw unprocessable(`${field || 'The body'} must not contain characters that are no text`);
    }
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      refuseUnsuitable(item, `${field}[${index}]`);
    });
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      if (key === '__proto__') throw unprocessable('__proto__ is not a known field');
      refuseUnsuitable(key, field || 'A key');
      refuseUnsuitable(item, field ? `${field}.${key}` : key);
    }
  }
}
