import { parse } from 'yaml';
import { bodyValidator } from '../../../http/request/validation.js';
import { isInvolvedYaml } from '../../../kernel/involved-yaml.js';
import { checksNoMapping, checksNoYaml, checksTooInvolved, repeatedCheck } from '../projects.errors.js';
import { DEFAULT_MINUTES, ProjectChecks, type ProjectChecksInput } from './checks.schemas.js';

export const CHECKS_FILE = '.guildhall/checks.yaml';
export const LARGEST_CHECKS_FILE = 128 * 1024;

const validate = bodyValidator(ProjectChecks);

/** Of the same form as what a project is told; throws a sentence where it is not. */
export function readChecksFile(text: string): ProjectChecks {
  const content = parseYaml(text) ?? {};
  if (typeof content !== 'object' || Array.isArray(content)) throw checksNoMapping();
  validate(content);
  return settleChecks(content as ProjectChecksInput);
}

function parseYaml(text: string): unknown {
  if (isInvolvedYaml(text)) throw checksTooInvolved();
  try {
    return parse(text, { schema: 'core', maxAliasCount: 50, prettyErrors: false, logLevel: 'error' });
  } catch {
    throw checksNoYaml();
  }
}

/** What was validated, with everything that was left out. */
export function settleChecks({
  checks = [],
  setup = null,
  required = true,
}: ProjectChecksInput): ProjectChecks {
  const names = new Set<string>();
  for (const { name } of checks) {
    if (names.has(name)) throw repeatedCheck(name);
    names.add(name);
  }
  return {
    checks: checks.map(({ name, command, minutes }) => ({
      name,
      command,
      minutes: minutes ?? DEFAULT_MINUTES,
    })),
    setup: setup && { command: setup.command, minutes: setup.minutes ?? DEFAULT_MINUTES },
    required,
  };
}
