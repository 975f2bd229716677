import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type DeskConfig, type DeskFiles, readIfThere } from '../desk-files.js';
import { CODERS } from '../work/build-protocol.js';
import { claude } from './claude.js';
import type { Coder } from './coder.js';
import { codex } from './codex.js';
import { custom } from './custom.js';

type Runtime = Pick<DeskConfig, 'runtime'>;

const PROGRAMS: Record<string, { name: string; coder: Coder }> = {
  claude_code: { name: 'claude', coder: claude },
  codex: { name: 'codex', coder: codex },
};

/** What of its runtime's coders this desk can run now, and why not the others. */
export interface OfferedCoders {
  coders: string[];
  missing: { coder: string; reason: string }[];
}

/** Nothing is run where the desk lacks a program that every build needs. */
export function offerCoders(files: DeskFiles, { runtime }: Runtime, lacking?: string): OfferedCoders {
  const coders = runtime === 'custom' ? [...CODERS] : [PROGRAMS[runtime]?.name ?? runtime];
  const reason = lacking ? `${lacking} is missing on the machine` : explainLack(files, runtime);
  if (reason === undefined) return { coders, missing: [] };
  return { coders: [], missing: coders.map((coder) => ({ coder, reason })) };
}

function explainLack(files: DeskFiles, runtime: string): string | undefined {
  if (findExecutable(files, { runtime })) return undefined;
  if (runtime === 'custom') return `${files.coder} is not there, or cannot be run`;
  return readIfThere(files.installFailure) ?? 'it is not installed yet';
}

/** On a custom desk one executable stands for all of them. */
export const coderOf = ({ runtime }: Runtime): Coder => PROGRAMS[runtime]?.coder ?? custom;

export function findExecutable(files: DeskFiles, { runtime }: Runtime): string | undefined {
  if (runtime === 'custom') return isExecutable(files.coder) ? files.coder : undefined;
  const name = PROGRAMS[runtime]?.name;
  return name
    ? coderPath(files)
        .map((folder) => join(folder, name))
        .find(isExecutable)
    : undefined;
}

export const coderPath = ({ runtimePrefix }: DeskFiles): string[] =>
  [join(runtimePrefix, 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)].filter(
    (folder) => folder !== '',
  );

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
