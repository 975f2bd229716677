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
        fault: `${file} is not named with 1 to 40 of a-z, 0-9 and -, or is named as a built-in coder`,
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
  if (!data) return fault('is no JSON object');
  const { command, env = {}, protocol } = data;
  if (protocol !== 'acp') return fault('does not say "protocol": "acp"');
  if (!Array.isArray(command) || command.length === 0 || command.length > MOST_WORDS)
    return fault('has no command');
  if (!command.every((word) => typeof word === 'string' && word !== '' && !word.includes('\0')))
    return fault('has a command that is no list of words');
  if (!isRecord(env) || !Object.values(env).every((value) => typeof value === 'string'))
    return fault('has an env that is no list of texts by their names');
  return { name, command, environment: readEnvironment(env) };
}
