import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DeskFiles, readIfThere } from '../desk-files.js';
import { CODERS, isRecord, parseObject, readEnvironment } from '../work/build-protocol.js';

/** A coder that the owner of the desk describes in a file, or the fault that makes the file unusable. */
export type CoderFile =
  | { name: string; command: string[]; environment: Record<string, string> }
  | { name: string; fault: string };

const MOST_WORDS = 100;
const LONGEST_NAME = 40;

/** Whether an owner may give this name to a coder; built-in names are taken. */
export const isFurtherName = (name: string): boolean =>
  /^[a-z0-9-]{1,40}$/.test(name) && !(CODERS as readonly string[]).includes(name);

export function readCoderFiles({ furtherCoders }: Pick<DeskFiles, 'furtherCoders'>): CoderFile[] {
  return listFiles(furtherCoders).map((file) => {
    const name = file.slice(0, -'.json'.length);
    if (!isFurtherName(name))
      return {
        name: file.slice(0, LONGEST_NAME),
        fault: `${file} needs a different name: 1 to 40 characters of a-z, 0-9 and -, and not the name of a built-in coder`,
      };
    return readCoder(name, parseObject(readIfThere(join(furtherCoders, file)) ?? ''));
  });
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
}

function readCoder(name: string, data: Record<string, unknown> | undefined): CoderFile {
  const fault = (what: string): CoderFile => ({ name, fault: `coders.d/${name}.json ${what}` });
  if (!data) return fault('is not a JSON object');
  const { command, env = {}, protocol } = data;
  if (protocol !== 'acp') return fault('needs "protocol": "acp"');
  if (!Array.isArray(command) || command.length === 0 || command.length > MOST_WORDS)
    return fault(`needs a "command" list of 1 to ${MOST_WORDS} words`);
  if (!command.every((word) => typeof word === 'string' && word !== '' && !word.includes('\0')))
    return fault('needs non-empty strings in "command"');
  if (!isRecord(env) || !Object.values(env).every((value) => typeof value === 'string'))
    return fault('needs an "env" object with string values');
  return { name, command, environment: readEnvironment(env) };
}
