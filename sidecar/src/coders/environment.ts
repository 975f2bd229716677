import { delimiter, join } from 'node:path';
import { type DeskFiles, readIfThere } from '../desk-files.js';
import type { Secret } from '../spool/secret-filter.js';

/** What a coder may see of the environment that the sidecar was started with. */
const PASSED_ON = [
  'LANG',
  'LC_ALL',
  'TZ',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'CODEX_API_KEY',
];

/** Names that would change what a program is rather than what it does, and ours. */
const NOT_FROM_OUTSIDE =
  /^(PATH|HOME|USER|LOGNAME|SHELL|PWD|TMPDIR|IFS|ENV|BASH_.*|SHELLOPTS|LD_.*|DYLD_.*|GIT_.*|GUILDHALL_.*|NODE_(OPTIONS|PATH)|PYTHON(PATH|STARTUP|HOME)|PERL5?(LIB|OPT)|RUBY(LIB|OPT)|JAVA_TOOL_OPTIONS)$/;

interface EnvironmentParts {
  files: DeskFiles;
  buildId: string;
  /** Of the build; only its coder gets it. */
  token?: string;
  home: string;
  tmp: string;
  /** What the service asks for. */
  asked: Record<string, string>;
}

/** Everything a coder's environment holds, named one by one; nothing else of the sidecar's gets in. */
export function makeEnvironment({
  files,
  buildId,
  token,
  home,
  tmp,
  asked,
}: EnvironmentParts): Record<string, string> {
  return {
    ...readGivenEnvironment(files),
    ...withoutForbidden(asked),
    PATH: coderPath(files).join(delimiter),
    HOME: home,
    USER: 'guildhall-build',
    LOGNAME: 'guildhall-build',
    SHELL: '/bin/sh',
    TMPDIR: tmp,
    GUILDHALL_BUILD_ID: buildId,
    ...(token !== undefined && { GUILDHALL_MCP_TOKEN: token }),
  };
}

/** What the machine and the desk's owner give to every coder. */
export function readGivenEnvironment(files: Pick<DeskFiles, 'coderEnvironment'>): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    ...withoutForbidden(readOwnersLines(readIfThere(files.coderEnvironment) ?? '')),
  };
}

const OF_CODERS = /^(ANTHROPIC|CLAUDE|OPENAI|CODEX)_/;

/** What a setup may see: what a coder does, without the keys of its provider and the token of its build. */
export const makeSetupEnvironment = (
  parts: Omit<EnvironmentParts, 'token' | 'asked'> & Partial<Pick<EnvironmentParts, 'asked'>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(makeEnvironment({ asked: {}, ...parts })).filter(([name]) => !OF_CODERS.test(name)),
  );

/** Names and values that say where something is or how it is to be done, and that nobody has to hide. */
const SETTING =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LC_ALL|TZ|NO_PROXY|GUILDHALL_BUILD_ID)$|_(URL|HOST|PORT|PATH|DIR|FILE|MODEL|MODE|EFFORT|LEVEL|REGION|TIMEOUT|VERSION|CERTS)$/i;
const PLACE = /^(\/|\.{1,2}\/|~\/|[a-z][a-z0-9+.-]*:\/\/[^@\s]*$)/i;
const PASSWORD_IN_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]+@/i;

/** What of a coder's environment must not be read anywhere: all of it that is no plain setting. */
export const secretsOfEnvironment = (environment: Record<string, string>): Secret[] =>
  Object.entries(environment)
    .filter(([name, value]) => PASSWORD_IN_ADDRESS.test(value) || !(SETTING.test(name) || PLACE.test(value)))
    .map(([name, value]) => ({ name, value }));

const withoutForbidden = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !NOT_FROM_OUTSIDE.test(name) && !value.includes('\0'),
    ),
  );

const readOwnersLines = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line))
      .flatMap((match) => (match ? [[match[1]!, match[2]!.trim().replace(/^(["'])(.*)\1$/, '$2')]] : [])),
  );

/** Where programs of coders are looked for, and what coders get as their path. */
export const coderPath = ({ runtimePrefix }: Pick<DeskFiles, 'runtimePrefix'>): string[] =>
  [join(runtimePrefix, 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)].filter(
    (folder) => folder !== '',
  );
