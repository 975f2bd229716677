import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** `message` is ours and may be shown to anybody; `complaint` is what git or the other end said, and is for the log alone. */
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
  /** Which transports the command may use, colon-separated; none unless said. */
  protocols?: string;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
  /** Settings of this run beside the safe ones, `name=value`. */
  settings?: readonly string[];
  /** Variables of this run beside the safe ones. */
  environment?: Readonly<Record<string, string>>;
  /** Files that git reads from and writes to, where neither belongs into memory. */
  input?: number;
  output?: number;
  /** Text for its input. */
  say?: string;
  /** Is given the output piece by piece; nothing is kept then. */
  onOutput?(chunk: Buffer): void;
  /** What a caller is told when it fails. */
  failure?: string;
}

/** What the log reads of a run that was ended at its time limit. */
export const TOO_LONG = 'git took too long';
/** The same of one that said more than was asked for. */
export const TOO_MUCH = 'git answered too much';

export const UNREADABLE = 'The repository could not be read';

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

/** Nothing of the service account's own: no home, no keys, no agent, no configuration, no credentials, no proxy. */
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
    // Whoever has a key of the workspace to show says so; nobody else reaches a host by ssh.
    GIT_SSH_COMMAND: 'false',
    GIT_SSH_VARIANT: 'ssh',
    GIT_NO_LAZY_FETCH: '1',
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
    settings,
    environment,
    configFile,
    failure = UNREADABLE,
    input,
    output,
    say,
    onOutput,
  } = options;
  return new Promise((resolve, reject) => {
    const child = spawn('git', safeArguments(repository, args, settings), {
      env: { ...safeEnvironment(protocols, configFile), ...environment },
      stdio: [input ?? (say === undefined ? 'ignore' : 'pipe'), output ?? 'pipe', 'pipe'],
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
    const timer = setTimeout(() => stop(TOO_LONG), timeoutMs);
    const onAbort = () => stop('The pass was stopped');
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    child.stdin?.on('error', () => {});
    child.stdin?.end(say);
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

/** A bare copy of a repository on this machine, independent of the original. */
export async function copyRepository(from: string, to: string): Promise<void> {
  await runGit(undefined, ['clone', '--quiet', '--bare', '--no-hardlinks', '--template=', '--', from, to], {
    protocols: 'file',
  });
}

/** A repository with one commit of all files in the folder. */
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
