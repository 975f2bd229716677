import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FakeDesk, Furnished } from './build-world.js';
import { ScratchRepository } from './scratch-repository.js';

export interface Taken {
  buildId: string;
  claim: string;
}

/** The git work of a desk: fetch the base, commit, and submit a bundle. */
export function checkouts(room: Furnished) {
  const fetchBase = async (desk: FakeDesk, { buildId, claim }: Partial<Taken> & { buildId: string }) =>
    room.world.inject({
      method: 'GET',
      url: `/api/v1/desk/builds/${buildId}/base`,
      headers: { authorization: `Bearer ${desk.pat}`, ...(claim && { 'x-guildhall-claim': claim }) },
    });

  const checkOut = async (desk: FakeDesk, taken: Taken): Promise<ScratchRepository> => {
    const { branch, base_sha } = await room.get(taken.buildId);
    const response = await fetchBase(desk, taken);
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
    const repository = new ScratchRepository();
    const bundle = join(repository.folder, '.git', 'base.bundle');
    writeFileSync(bundle, response.rawPayload);
    repository.git('fetch', '--quiet', bundle, 'refs/heads/base:refs/heads/base');
    repository.git('checkout', '--quiet', '-b', branch, base_sha);
    return repository;
  };

  const bundle = (repository: ScratchRepository, ...what: string[]): Buffer => {
    const file = join(repository.folder, '.git', 'out.bundle');
    repository.git('bundle', 'create', '--quiet', file, ...what);
    return readFileSync(file);
  };

  const handIn = (desk: FakeDesk, { buildId, claim }: { buildId: string; claim?: string }, payload: Buffer) =>
    room.say(desk, 'PUT', `builds/${buildId}/commits`, {
      claim,
      payload,
      headers: { 'content-type': 'application/x-git-bundle' },
    });

  /** Claims a build, commits the files and submits the bundle, without finishing the build. */
  const work = async (desk: FakeDesk, files: Record<string, string | Buffer>) => {
    const taken = await room.take(desk);
    const repository = await checkOut(desk, taken);
    const head = repository.save(files);
    const { base_sha, branch } = await room.get(taken.buildId);
    const sent = await handIn(desk, taken, bundle(repository, `${base_sha}..${branch}`));
    if (sent.status !== 200) throw new Error(`${sent.status} ${JSON.stringify(sent.body)}`);
    repository.dispose();
    return { ...taken, head };
  };

  /** Does the same and finishes the build successfully. */
  const succeed = async (desk: FakeDesk, files: Record<string, string | Buffer>) => {
    const done = await work(desk, files);
    const body = { outcome: 'succeeded', result: 'Did it' };
    const finished = await room.finish(desk, done.buildId, done.claim, body);
    if (finished.status !== 200) throw new Error(JSON.stringify(finished.body));
    return done;
  };

  return { fetchBase, checkOut, bundle, handIn, work, succeed };
}
