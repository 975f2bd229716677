import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';

const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};
const SETTINGS = [
  'safe.directory=*',
  'core.hooksPath=/dev/null',
  'gc.auto=0',
  'receive.autogc=false',
].flatMap((setting) => ['-c', setting]);
const AUTHOR = { name: 'Simulated host', email: 'host@guildhall.invalid' };

/** Runs git in a bare repository; undefined on failure. */
function git(path: string, args: string[], environment = {}): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn('git', [...SETTINGS, `--git-dir=${path}`, ...args], {
      env: { ...ENVIRONMENT, ...environment },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', () => resolve(undefined));
    child.once('close', (code) =>
      resolve(code === 0 ? Buffer.concat(chunks).toString('utf8').trim() : undefined),
    );
  });
}

export const findBranch = (path: string, branch: string): Promise<string | undefined> =>
  git(path, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`]);

export const isIncluded = async (path: string, sha: string, inside: string): Promise<boolean> =>
  (await git(path, ['merge-base', '--is-ancestor', sha, inside])) !== undefined;

export const mayBeMerged = async (path: string, base: string, head: string): Promise<boolean> =>
  (await mergedTree(path, base, head)) !== undefined;

const mergedTree = async (path: string, base: string, head: string): Promise<string | undefined> =>
  (await git(path, ['merge-tree', '--write-tree', '--no-messages', base, head]))?.split('\n')[0];

/** Creates a real merge commit; undefined when the branches conflict or the branch has moved. */
export async function mergeBranch(
  path: string,
  branch: string,
  [base, head]: readonly [string, string],
  message: string,
  at: Date,
): Promise<string | undefined> {
  const tree = await mergedTree(path, base, head);
  if (tree === undefined) return undefined;
  const date = at.toISOString();
  const commit = await git(path, ['commit-tree', tree, '-p', base, '-p', head, '-m', message], {
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
    GIT_COMMITTER_DATE: date,
  });
  if (commit === undefined) return undefined;
  return (await git(path, ['update-ref', `refs/heads/${branch}`, commit, base])) === undefined
    ? undefined
    : commit;
}

export async function countChanges(path: string, base: string, head: string) {
  const commits = Number(await git(path, ['rev-list', '--count', `${base}..${head}`])) || 0;
  const lines = ((await git(path, ['diff', '--numstat', `${base}...${head}`])) ?? '').split('\n');
  const counts = lines.filter((line) => line !== '').map((line) => line.split('\t').slice(0, 2).map(Number));
  const sum = (column: 0 | 1) => counts.reduce((all, count) => all + (count[column] || 0), 0);
  return { commits, additions: sum(0), deletions: sum(1), changed_files: counts.length };
}

/** Serves clone, fetch and push over HTTP with git's own CGI program. */
export function serveGit(
  repository: { path: string; service: string; search: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve) => {
    const program = spawn('git', [...SETTINGS, '-c', 'http.receivepack=true', 'http-backend'], {
      env: {
        ...ENVIRONMENT,
        GIT_PROJECT_ROOT: repository.path,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: repository.service,
        QUERY_STRING: repository.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        CONTENT_LENGTH: request.headers['content-length'] ?? '',
        HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        REMOTE_USER: 'token',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    program.stdin.on('error', () => {});
    request.pipe(program.stdin);
    response.once('close', () => program.kill());
    let head = Buffer.alloc(0);
    let begun = false;
    program.stdout.on('data', (chunk: Buffer) => {
      if (begun) {
        if (response.write(chunk)) return;
        program.stdout.pause();
        response.once('drain', () => program.stdout.resume());
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      begun = true;
      passOnHeaders(head.subarray(0, end).toString('latin1'), response);
      response.write(head.subarray(end + 4));
    });
    const conclude = () => {
      if (!begun && !response.headersSent) response.writeHead(500);
      response.end();
      resolve();
    };
    program.once('error', conclude);
    program.once('close', conclude);
  });
}

function passOnHeaders(text: string, response: ServerResponse): void {
  let status = 200;
  for (const line of text.split('\r\n')) {
    const [name = '', value = ''] = line.split(/:\s*/, 2);
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10) || 500;
    else if (name !== '') response.setHeader(name, value);
  }
  response.writeHead(status);
}
