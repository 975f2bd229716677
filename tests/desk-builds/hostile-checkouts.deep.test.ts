import { describe, expect } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import { type BuildDesk, canIsolate } from './build-desk.js';
import { it as itOnSite } from './desk-test.js';
import type { FakeBuild } from './fake-service.js';

/** Uncommitted work of a coder is committed for it, even if the coder damaged its checkout. */

const ended = (build: FakeBuild) => until(() => build.finish ?? undefined, 240);
const show = (build: FakeBuild, path: string) => build.repository.git('show', `${build.branch}:${path}`);

type Build = (script: string) => Promise<FakeBuild>;

const it = itOnSite.extend<{ desk: BuildDesk; build: Build }>({
  desk: async ({ makeDesk }, use) => use(await makeDesk(canIsolate ? {} : { isolation: 'none' })),
  build: async ({ service, repository, desk }, use) =>
    use(async (script) => {
      desk.setCoder(script);
      desk.start();
      const one = service.queue(repository);
      await ended(one);
      await until(() => desk.isDone(one.id));
      expect(service.faults).toEqual([]);
      return one;
    }),
});

describe.concurrent('Work left in a damaged checkout', () => {
  const LEFT = 'echo x > x.txt; ';
  const states: [string, string][] = [
    ['despite a lock on its branch', 'touch .git/refs/heads/guildhall/gh-7-1.lock'],
    [
      'despite locks on everything',
      'touch .git/index.lock .git/HEAD.lock .git/packed-refs.lock .git/config.lock',
    ],
    ['when the branch was deleted', 'git update-ref -d refs/heads/guildhall/gh-7-1'],
    ['when another ref blocks the name of its branch', 'git branch -m other; git branch guildhall'],
    ['when HEAD was reset to the base', 'git add .; git commit -qm work; git checkout -q --detach HEAD~'],
    ['when the settings call the repository bare', 'git config core.bare true'],
    ['when the settings name another work tree', 'mkdir $HOME/e; git config core.worktree $HOME/e'],
    ['when only a part was checked out', 'git sparse-checkout set docs; mkdir -p a; echo a > a/a.txt'],
    [
      'when line endings are checked',
      "git config core.safecrlf true; git config core.autocrlf input; printf 'a\\r\\n' > crlf.txt",
    ],
    ['when the checkout was made unreadable', 'chmod 000 .'],
    ['when the repository was made unreadable', 'chmod -R a-rwx .git || :'],
    [
      'when a file and a folder were made unreadable',
      'mkdir d; echo d > d/d.txt; chmod 000 d; echo s > s; chmod 000 s',
    ],
    ['when a tracked file became a pipe', 'rm roof.txt; mkfifo roof.txt'],
    ['when the ignore list became a pipe', 'mkfifo .gitignore docs/.gitattributes'],
    ['when the settings became a pipe', 'rm .git/config; mkfifo .git/config'],
    [
      'when a socket was left',
      `node -e "require('net').createServer().listen('s.sock',()=>process.kill(process.pid,9))" || :`,
    ],
    ['when the repository was replaced by a link', 'mv .git $HOME/g; ln -s $HOME/g .git'],
    ['when the repository was replaced by a .git file', 'mv .git $HOME/g; echo "gitdir: $HOME/g" > .git'],
    [
      'when file names are not valid text',
      `touch "$(printf 'bad\\377name')" "$(printf 'new\\nline')" Roof.txt ROOF.txt`,
    ],
    [
      'when a repository lies in a folder with a strange name',
      `mkdir "$(printf 'a\\nb')"; git init -q "$(printf 'a\\nb')"`,
    ],
    [
      'when a file name has the maximum length',
      'n=$(printf "%0250d" 1); mkdir -p $n/$n/$n; echo l > $n/$n/$n/$n',
    ],
    [
      'when the temporary files cannot be listed',
      'cd "$TMPDIR"; n=$(printf "%0200d" 1); for i in $(seq 30); do mkdir $n; cd $n; done; chmod 000 $TMPDIR',
    ],
  ];
  it.for(states)('commits the work %s', async ([, script], { repository, build }) => {
    const one = await build(LEFT + script);
    expect(one.finish).toEqual({ outcome: 'succeeded' });
    expect(show(one, 'x.txt')).toBe('x');
    expect(repository.git('merge-base', one.baseSha, one.branch)).toBe(one.baseSha);
  });

  it('fails the build when the whole repository is gone', async ({ build }) => {
    const one = await build('echo x > x.txt; rm -rf .git');
    expect(one.finish).toMatchObject({ outcome: 'failed' });
  });

  it('keeps files that a sparse checkout hides', async ({ build }) => {
    const one = await build('git sparse-checkout set docs; echo x > docs/x.txt');
    expect([show(one, 'docs/x.txt'), show(one, 'roof.txt')]).toEqual(['x', 'a hole']);
  });
});
