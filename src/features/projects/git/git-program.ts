import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** `message` is public; `complaint` is the output of git or the remote, for the log only. */
export class GitError extends Error {
  constructor(
    message: string,
    readonly exitCode: number | null,
    readonly complaint = '',
  ) {
    super(message);
    this.name = 'GitError';
  }
}

export interface GitRun {
  protocols?: string;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
  settings?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** File descriptors, for data that should not be held in memory. */
  input?: number;
  output?: number;
  stdin?: string;
  /** Receives the output in chunks; the returned buffer is then empty. */
  onOutput?(chunk: Buffer): void;
  failure?: string;
}

export type RunGit = (args: readonly string[], options?: GitRun) => Promise<Buffer>;

export const TOO_LONG = 'git took too long';
export const TOO_MUCH = 'git answered too much';

export const UNREADABLE = 'The repository could not be read';

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/** Keep an untrusted repository from running programs here or asking for input. */
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
  'transfer.bundleURI=false',
  'diff.renameLimit=0',
  'uploadpack.packObjectsHook=',
];

export function safeArguments(
  repository: string | undefined,
  args: readonly string[],
  settings: readonly string[] = [],
): string[] {
  return [
    '--no-pager',
    '--literal-pathspecs',
    ...[...SAFE_SETTINGS, ...settings].flatMap((setting) => ['-c', setting]),
    ...(repository ? [`--git-dir=${repository}`] : []),
    ...args,
  ];
}

/** Contains nothing of the service account: no home, keys, agent, configuration, credentials or proxy. */
export function safeEnvironment(protocols: string, configFile?: string): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: configFile ?? '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: protocols || 'none',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    // Only a run with an SSH key may use ssh.
    GIT_SSH_COMMAND: 'false',
    GIT_SSH_VARIANT: 'ssh',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/** A failure is an error, never an empty result. */
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
    settings,
    environment,
    configFile,
    failure = UNREADABLE,
    input,
    output,
    stdin,
    onOutput,
  } = options;
  return new Promise((resolve, reject) => {
    const child = spawn('git', safeArguments(repository, args, settings), {
      env: { ...safeEnvironment(protocols, configFile), ...environment },
      stdio: [input ?? (stdin === undefined ? 'ignore' : 'pipe'), output ?? 'pipe', 'pipe'],
      detached: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let complaint = '';
    let refusal: string | undefined;
    // Kills the whole process group, because git's helpers (index-pack, ssh) would outlive it.
    const stop = (reason: string) => {
      refusal ??= reason;
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      } catch {
        child.kill('SIGKILL');
      }
    };
    const timer = setTimeout(() => stop(TOO_LONG), timeoutMs);
    const onAbort = () => stop('The run was stopped');
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop(TOO_MUCH);
      else if (onOutput) onOutput(chunk);
      else chunks.push(chunk);
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      if (complaint.length < 4000) complaint += chunk.toString('utf8');
    });
    const finish = (error: GitError | undefined) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (error) reject(error);
      else resolve(Buffer.concat(chunks));
    };
    child.on('error', () => finish(new GitError('The git program does not start', null)));
    child.on('close', (code) => {
      if (refusal) finish(new GitError(failure, code, refusal));
      else if (code !== 0) finish(new GitError(failure, code, complaint || `git ended with ${code}`));
      else finish(undefined);
    });
  });
}

export async function copyRepository(from: string, to: string): Promise<void> {
  await runGit(undefined, ['clone', '--quiet', '--bare', '--no-hardlinks', '--template=', '--', from, to], {
    protocols: 'file',
  });
}

export async function makeRepository(folder: string, message: string): Promise<void> {
  const repository = join(folder, '.git');
  await runGit(undefined, ['init', '--quiet', '--template=', '--initial-branch=main', folder]);
  const inside = [
    `--work-tree=${folder}`,
    '-c',
    'user.name=Guildhall',
    '-c',
    'user.email=demo@guildhall.local',
  ];
  await runGit(repository, [...inside, 'add', '--all', '.']);
  await runGit(repository, [...inside, 'commit', '--quiet', '--no-verify', '-m', message]);
}
