import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { broken } from './failure.js';

export const CHECKS_FILE = '.guildhall/checks.yaml';
const DEFAULT_MINUTES = 15;

export interface Step {
  command: string;
  minutes: number;
}

export interface Definition {
  checks: ({ name: string } & Step)[];
  setup: Step | null;
  required: boolean;
}

interface Told {
  checks?: { name?: unknown; command?: unknown; minutes?: unknown }[];
  setup?: { command?: unknown; minutes?: unknown } | null;
  required?: boolean;
}

const refused = (what: string) => broken(`${CHECKS_FILE} does not count: ${what}`);

/** What a repository says; undefined where it says nothing. The service is stricter, and says so on the page of the project. */
export async function readChecksFile(root: string): Promise<Definition | undefined> {
  const path = join(root, CHECKS_FILE);
  if (!existsSync(path)) return undefined;
  const { parse } = await import('yaml');
  let told: unknown;
  try {
    told = parse(readFileSync(path, 'utf8'), { maxAliasCount: 50, logLevel: 'error' }) ?? {};
  } catch {
    throw refused('it is not valid YAML');
  }
  if (typeof told !== 'object' || Array.isArray(told)) throw refused('it is not a mapping');
  return settle(told as Told);
}

/** With everything that was left out. */
export function settle({ checks = [], setup = null, required = true }: Told): Definition {
  if (!Array.isArray(checks)) throw refused('checks is not a list');
  const readStep = (step: { command?: unknown; minutes?: unknown }, what: string): Step => {
    if (typeof step.command !== 'string') throw refused(`${what} has no command`);
    return {
      command: step.command,
      minutes: typeof step.minutes === 'number' ? step.minutes : DEFAULT_MINUTES,
    };
  };
  return {
    checks: checks.map((check) => {
      if (typeof check?.name !== 'string') throw refused('a check has no name');
      return { name: check.name, ...readStep(check, check.name) };
    }),
    setup: setup && readStep(setup, 'setup'),
    required,
  };
}
