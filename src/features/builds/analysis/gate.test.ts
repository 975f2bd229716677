import { describe, expect } from 'vitest';
import { checkouts } from '../../../../tests/support/build-checkouts.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { openSharedReviewRoom } from '../../../../tests/support/review-room.js';

const the = await openSharedReviewRoom();

const look = () => the.world.runJob('build-gate');
const RISKY = {
  '.guildhall/checks.yaml': 'checks: [{name: 7\n',
  'src/main.ts': 'export function answer(of: string) {\n  // TODO\n  return 42;\n}\n',
};

async function analyzed(files: Record<string, string>) {
  const done = await the.succeed({ files });
  await look();
  return the.room.get(done.buildId);
}

describe('Gate and risk of a build', () => {
  it('are null before commits arrive, and then describe the diff from base to head', async () => {
    const card = await the.room.card();
    const queued = await the.room.build(card.id);
    expect(queued).toMatchObject({ kind: 'build', gate: null, risk: null, reviews: [] });
    const { buildId } = await the.git.succeed(the.desk, RISKY);
    await look();
    const { gate, risk } = await the.room.get(buildId);
    expect(gate!.notes.map(({ kind, path }) => [kind, path])).toEqual(
      expect.arrayContaining([
        ['checks_changed', '.guildhall/checks.yaml'],
        ['checks_unreadable', '.guildhall/checks.yaml'],
        ['stub', 'src/main.ts'],
      ]),
    );
    expect(risk!.score).toBe(risk!.reasons.reduce((sum, { points }) => sum + points, 0));
    expect(risk!.reasons).toContainEqual({ reason: 'there are no checks', points: 10 });
    expect(risk!.reasons).toContainEqual({ reason: 'no test is touched', points: 10 });
  });

  it('stay null when a build succeeds without a commit', async () => {
    await the.room.build((await the.room.card()).id);
    const taken = await the.room.take(the.desk);
    await the.room.finish(the.desk, taken.buildId, taken.claim, { outcome: 'succeeded' });
    await look();
    expect(await the.room.get(taken.buildId)).toMatchObject({ status: 'succeeded', gate: null, risk: null });
  });

  it('list files outside the footprint, which is what the card names plus two hops', async () => {
    const room = await the.world.furnish();
    const desk = await room.readyDesk();
    const git = checkouts(room);
    const uses = (name: string) => `import { it } from '${name}';\nexport const its = it;\n`;
    const code = {
      'app/start.ts': uses('../lib/near'),
      'app/other.ts': 'export const it = 1;\n',
      'lib/near.ts': `${uses('./far')}export { its as it };\n`,
      'lib/far.ts': `${uses('./farther')}export { its as it };\n`,
      'lib/farther.ts': `${uses('./farthest')}export { its as it };\n`,
      'lib/farthest.ts': 'export const it = 1;\n',
      'kit/tools/run.ts': uses('../../app/other'),
    };
    room.repository.save(code);
    await room.call('POST', `/api/v1/projects/${room.projectId}/index`, {});
    await the.world.runJob('project-index-wanted');
    const outside = async (instructions: string) => {
      await room.build((await room.card({ title: 'Change it', instructions })).id);
      const changed = Object.entries(code).map(([path, text]) => [path, `${text}export const more = 1;\n`]);
      const { buildId } = await git.succeed(desk, Object.fromEntries(changed));
      await look();
      const { gate } = await room.get(buildId);
      return gate!.notes.flatMap(({ kind, path }) => (kind === 'outside' ? [path] : []));
    };
    const beyond = ['app/other.ts', 'lib/farther.ts', 'lib/farthest.ts', 'kit/tools/run.ts'];
    for (const text of ['Fix app/start.ts', 'Fix start.ts'])
      expect((await outside(text)).sort()).toEqual(beyond.sort());
    const rest = Object.keys(code).filter((path) => !['kit/tools/run.ts', 'app/other.ts'].includes(path));
    expect((await outside('All of kit/tools')).sort()).toEqual(rest.sort());
    expect(await outside('Make it faster')).toEqual([]);
  });

  itDeeply('do not change when the analysis runs again', async () => {
    const build = await analyzed(RISKY);
    await look();
    expect(await the.room.get(build.build_id)).toEqual(build);
  });

  it('sort=risk lists the riskiest builds first, across pages and in the review queue', async () => {
    await analyzed({ 'notes.md': 'x\n' });
    await analyzed(RISKY);
    await analyzed({ 'docs/a.md': 'x\n' });
    for (const more of ['', '&review=to_review']) {
      const scores: number[] = [];
      const seen = new Set<string>();
      let cursor = '';
      do {
        const { body } = await the.room.call<{
          builds: { build_id: string; risk: { score: number } | null }[];
          next_cursor: string | null;
        }>('GET', `/api/v1/factory/builds?sort=risk&limit=2${more}${cursor && `&cursor=${cursor}`}`);
        for (const { build_id, risk } of body.builds) {
          seen.add(build_id);
          scores.push(risk?.score ?? -1);
        }
        cursor = body.next_cursor ?? '';
      } while (cursor);
      expect(scores.length).toBeGreaterThan(3);
      expect(seen.size).toBe(scores.length);
      expect(scores).toEqual([...scores].sort((one, other) => other - one));
    }
  });
});
