import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { secretsOfEnvironment } from './coders/environment.js';
import { type DeskFiles, remove, writeWhole } from './desk-files.js';
import { createSecrets } from './spool/secret-filter.js';

const PACKAGES: Record<string, { name: string; command: string }> = {
  claude_code: { name: '@anthropic-ai/claude-code', command: 'claude' },
  codex: { name: '@openai/codex', command: 'codex' },
};

const LIMIT_MS = 10 * 60_000;
const LONGEST_SAID = 200;
const KEPT_OUTPUT = 16 * 1024;

type RuntimeFiles = Pick<DeskFiles, 'runtimePrefix' | 'installFailure'>;

/** Retries a runtime that the installer could not fetch. Returns whether it is installed now. */
export async function installMissingRuntime(runtime: string, files: RuntimeFiles): Promise<boolean> {
  const wanted = PACKAGES[runtime];
  if (!wanted || isInstalled(wanted.command, files.runtimePrefix)) {
    remove(files.installFailure);
    return true;
  }
  const fault = await runNpm(files.runtimePrefix, wanted.name);
  if (fault === undefined) remove(files.installFailure);
  else writeWhole(files.installFailure, fault);
  return fault === undefined;
}

function runNpm(prefix: string, name: string): Promise<string | undefined> {
  const args = [
    'install',
    '--global',
    '--prefix',
    prefix,
    '--cache',
    join(prefix, '.npm'),
    '--no-audit',
    '--no-fund',
    '--fetch-retries=1',
    name,
  ];
  const child = spawn('npm', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: LIMIT_MS });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-KEPT_OUTPUT);
  });
  return new Promise((resolve) => {
    child.on('error', (error) =>
      resolve(`npm could not be started: ${(error as NodeJS.ErrnoException).code}`),
    );
    child.on('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else if (signal) resolve(`npm did not end within ${LIMIT_MS / 60_000} minutes`);
      else resolve(`npm said: ${pickSentence(output) || `nothing, and ended with exit code ${code}`}`);
    });
  });
}

/** Lines of npm's output that are only fields, or that follow every error. */
const FIELD = /^(code|syscall|errno|path|dest|cwd|type|signal|command|hostname|stack)\b/;
const EVERYWHERE =
  /^(A complete log of this run|This is a problem related to|In most cases you are behind|'proxy' config)/;

export function pickSentence(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/\p{Cc}+/gu, ' ').trim());
  const own = lines
    .flatMap((line) => /^npm (?:error|ERR!) ?(.*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/^(network|notsup|audit|\d{3})\b ?/, '').trim())
    .filter((line) => line !== '' && !FIELD.test(line) && !EVERYWHERE.test(line));
  const sentence = own[0] ?? lines.findLast((line) => line !== '' && !line.startsWith('npm ')) ?? '';
  const safe = withoutSecrets(sentence);
  return safe.length > LONGEST_SAID ? `${safe.slice(0, LONGEST_SAID - 1)}…` : safe;
}

/** Registry addresses often contain a password, and npm prints the address. */
function withoutSecrets(text: string): string {
  const given = Object.entries(process.env).filter(([name]) =>
    /token|key|secret|passw|auth|npm_config/i.test(name),
  );
  const known = createSecrets(secretsOfEnvironment(Object.fromEntries(given) as Record<string, string>));
  return known
    .mask(text)
    .replace(/\/\/[^/@\s]+@/g, '//')
    .replace(/((?:_authToken|_auth|_password|token|password)=)[^\s&]+/gi, '$1[secret]')
    .replace(/\b(Bearer|Basic) \S+/gi, '$1 [secret]')
    .replace(/\bnpm_[A-Za-z0-9]{16,}/g, '[secret]');
}

function isInstalled(command: string, prefix: string): boolean {
  const folders = [join(prefix, 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.some((folder) => folder !== '' && existsSync(join(folder, command)));
}
