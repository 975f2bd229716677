import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { DeskConfig, DeskFiles } from '../desk-files.js';
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

/** The coders that this desk can run now. */
export function listCoders(files: DeskFiles, { runtime }: Runtime): string[] {
  if (!findExecutable(files, { runtime })) return [];
  return runtime === 'custom' ? [...CODERS] : [PROGRAMS[runtime]!.name];
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
