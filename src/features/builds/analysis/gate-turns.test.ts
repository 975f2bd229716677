import { expect, it } from 'vitest';
import { checkouts } from '../../../../tests/support/build-checkouts.js';
import { openBuildWorld } from '../../../../tests/support/build-world.js';

const world = await openBuildWorld();

/** A workspace with builds whose changes wait for analysis. */
async function furnish() {
  const room = await world.furnish();
  const desk = await room.readyDesk();
  const git = checkouts(room);
  return async (text: string): Promise<string> => {
    await room.build((await room.card()).id);
    return (await git.succeed(desk, { 'src/test/java/ATest.java': text })).buildId;
  };
}

it('analyzes a small change of another workspace before most of the large hostile ones', async () => {
  const { pool } = world.database;
  await pool.query(`
    create table analyzed (place serial, build_id uuid);
    create function note_analyzed() returns trigger language plpgsql as
      $$ begin insert into analyzed (build_id) values (new.build_id); return null; end $$;
    create trigger analyzed after update on builds for each row
      when (old.gate is null and new.gate is not null) execute function note_analyzed()`);
  const [crowded, quiet] = [await furnish(), await furnish()];
  const hostile: string[] = [];
  for (let count = 0; count < 10; count += 1) hostile.push(await crowded(`${count}${'@Test '.repeat(4000)}`));
  const small = await quiet('class ATest {}\n');
  await world.runJob('build-gate');
  const { rows } = await pool.query<{ build_id: string }>('select build_id from analyzed order by place');
  const order = rows.map(({ build_id }) => build_id);
  expect(order).toContain(small);
  expect(order.indexOf(small)).toBeLessThan(5);
});
