import { delimiter, join } from 'node:path';
import { type DeskFiles, readIfThere } from '../desk-files.js';
import type { Secret } from '../spool/secret-filter.js';

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

/** Our own variables, and names that would change which code a program loads. */
const NOT_FROM_OUTSIDE =
  /^(PATH|HOME|USER|LOGNAME|SHELL|PWD|TMPDIR|IFS|ENV|BASH_.*|SHELLOPTS|LD_.*|DYLD_.*|GIT_.*|GUILDHALL_.*|NODE_(OPTIONS|PATH)|PYTHON(PATH|STARTUP|HOME)|PERL5?(LIB|OPT)|RUBY(LIB|OPT)|JAVA_TOOL_OPTIONS)$/;

interface EnvironmentParts {
  files: DeskFiles;
  buildId: string;
  /** The token of the build; only the coder gets it. */
  token?: string;
  home: string;
  tmp: string;
  asked: Record<string, string>;
}

/** Builds a coder's environment from an explicit list; it inherits nothing else from the sidecar. */
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

const OF_CODERS = /^(ANTHROPIC|CLAUDE|OPENAI|CODEX|OPENCODE|OPENROUTER|MINIMAX|GEMINI|LLM|PI)_/;

/** A setup's environment: a coder's without the provider keys and the build token. */
export const makeSetupEnvironment = ({
  asked = {},
  ...parts
}: Omit<EnvironmentParts, 'token' | 'asked'> & Partial<Pick<EnvironmentParts, 'asked'>>): Record<
  string,
  string
> => ({
  ...withoutForbidden(asked),
  ...Object.fromEntries(
    Object.entries(makeEnvironment({ ...parts, asked: {} })).filter(([name]) => !OF_CODERS.test(name)),
  ),
});

/** The values of variables that the service named as secret. */
export const namedSecrets = (names: readonly string[], ...environments: Record<string, string>[]): Secret[] =>
  environments.flatMap((environment) =>
    names.flatMap((name) => (environment[name] ? [{ name, value: environment[name] }] : [])),
  );

/** Names and values that describe a location or a mode and are not secret. */
const SETTING =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|LANG|LC_ALL|TZ|NO_PROXY|GUILDHALL_BUILD_ID)$|_(URL|HOST|PORT|PATH|DIR|FILE|MODEL|MODE|EFFORT|LEVEL|REGION|TIMEOUT|VERSION|CERTS)$/i;
const PLACE = /^(\/|\.{1,2}\/|~\/|[a-z][a-z0-9+.-]*:\/\/[^@\s]*$)/i;
const PASSWORD_IN_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]+@/i;

/** Treats every variable as a secret unless it is a plain setting. */
export const secretsOfEnvironment = (environment: Record<string, string>): Secret[] =>
  Object.entries(environment)
    .filter(([name, value]) => PASSWORD_IN_ADDRESS.test(value) || !(SETTING.test(name) || PLACE.test(value)))
    .map(([name, value]) => ({ name, value }));

export const withoutForbidden = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        /^[A-Za-z0-9_]{1,128}$/.test(name) && !NOT_FROM_OUTSIDE.test(name) && !value.includes('\0'),
    ),
  );

const readOwnersLines = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line))
      .flatMap((match) => (match ? [[match[1]!, match[2]!.trim().replace(/^(["'])(.*)\1$/, '$2')]] : [])),
  );

/** Where coder programs are looked up, which is also their PATH. */
export const coderPath = ({ runtimePrefix }: Pick<DeskFiles, 'runtimePrefix'>): string[] =>
  [join(runtimePrefix, 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)].filter(
    (folder) => folder !== '',
  );
