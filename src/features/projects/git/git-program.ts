import { spawn } from 'node:child_process';
import { homedir } from 'node:os';

export class GitError extends Error {
  constructor(
    message: string,
    readonly exitCode: number | null,
  ) {
    super(message);
    this.name = 'GitError';
  }
}

export interface GitRun {
  /** Which transports the command may use, colon-separated; none unless said. */
  protocols?: string;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
  input?: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/** Settings that keep a foreign repository from running anything here or asking anybody. */
const SAFE_SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'credential.helper=',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'protocol.version=2',
  'safe.directory=*',
  'diff.renameLimit=0',
  'uploadpack.packObjectsHook=',
].flatMap((setting) => ['-c', setting]);

export function safeArguments(repository: string | undefined, args: readonly string[]): string[] {
  return [
    '--no-pager',
    '--literal-pathspecs',
    ...SAFE_SETTINGS,
    ...(repository ? [`--git-dir=${repository}`] : []),
    ...args,
  ];
}

export function safeEnvironment(protocols: string, configFile?: string): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
    HOME: homedir(),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: configFile ?? '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: protocols || 'none',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_SSH_COMMAND:
      'ssh -oBatchMode=yes -oStrictHostKeyChecking=accept-new -oConnectTimeout=15 -oPermitLocalCommand=no',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/** Runs git and answers its output; a failure is an error, never an empty answer. */
export function runGit(
  repository: string | undefined,
  args: readonly string[],
  options: GitRun & { configFile?: string } = {},
): Promise<Buffer> {
  const {
    protocols = '',
    timeoutMs = DEFAULT_TIMEOUT_MS,
    maxBytes = DEFAULT_MAX_BYTES,
    signal,
    input,
    configFile,
  } = options;
  return new Promise((resolve, reject) => {
    const child = spawn('git', safeArguments(repository, args), {
      env: safeEnvironment(protocols, configFile),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let complaint = '';
    let refusal: string | undefined;
    // The whole group: git starts helpers (index-pack, ssh) that outlive it otherwise.
    const stop = (reason: string) => {
      refusal ??= reason;
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      } catch {
        child.kill('SIGKILL');
      }
    };
    const timer = setTimeout(() => stop('git took too long'), timeoutMs);
    const onAbort = () => stop('The pass was stopped');
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop('git answered too much');
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < 4000) complaint += chunk.toString('utf8');
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    const finish = (error: GitError | undefined) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (error) reject(error);
      else resolve(Buffer.concat(chunks));
    };
    child.on('error', () => finish(new GitError('The git program does not start', null)));
    child.on('close', (code) => {
      if (refusal) finish(new GitError(refusal, code));
      else if (code !== 0) finish(new GitError(firstLine(complaint) || `git ended with ${code}`, code));
      else finish(undefined);
    });
  });
}

/** What git said, without addresses of this machine and without anything that could be a credential. */
function firstLine(complaint: string): string {
  const line =
    complaint.split('\n').find((candidate) => /^(fatal|error|ERROR)/i.test(candidate)) ??
    complaint.split('\n')[0] ??
    '';
  return line
    .replace(/^(fatal|error|remote): /i, '')
    .replace(/\/\/[^/@\s]+@/g, '//')
    .replace(/(['"])\/[^'"]*\1/g, 'the repository')
    .slice(0, 300);
}
