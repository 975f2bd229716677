import type { Coloured } from '../line-parts.js';
import address from './colours.worker.ts?worker&url';

export interface Question {
  id: number;
  language: string;
  lines: string[];
}

export interface Answer {
  id: number;
  /** The tokens of each line; empty if highlighting failed. */
  lines: Coloured[][];
}

type Told = (lines: Coloured[][]) => void;

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): {
    createScriptURL(address: string): string;
  };
}

/** The page's Trusted Types policy allows workers only through the policy of this name. */
function trusted(script: string): string {
  const { trustedTypes } = window as { trustedTypes?: Policies };
  return trustedTypes
    ? trustedTypes
        .createPolicy('guildhall-worker', { createScriptURL: (given) => given })
        .createScriptURL(script)
    : script;
}

let worker: Worker | undefined;
let asked = 0;
const waiting = new Map<number, Told>();

function start(): Worker {
  const made = new Worker(trusted(address), { type: 'module', name: 'colours' });
  made.addEventListener('message', ({ data: { id, lines } }: MessageEvent<Answer>) => {
    waiting.get(id)?.(lines);
    waiting.delete(id);
  });
  // Without the worker, code is shown without highlighting.
  made.addEventListener('error', (event) => {
    event.preventDefault();
    for (const tell of waiting.values()) tell([]);
    waiting.clear();
  });
  return made;
}

export function askColours(language: string, lines: string[]): Promise<Coloured[][]> {
  worker ??= start();
  const id = ++asked;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker!.postMessage({ id, language, lines } satisfies Question);
  });
}
