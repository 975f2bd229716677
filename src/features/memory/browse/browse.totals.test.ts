import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld, WEEK } from '../../../../tests/support/memory.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;

beforeAll(async () => {
  world = await startMemoryWorld();
  await world.freeze();
  acme = await world.workspace();
});
afterAll(() => world.stop());

it('Memory list total for a text filter stays exact after every change', async () => {
  const agent_id = world.agentId();
  const other = world.agentId();
  const totals = async () =>
    Promise.all(
      ['', '&status=active', '&kind=fact'].map(async (more) => {
        const { memories, total } = (
          await acme.get(`/memories?agent_id=${agent_id}&q=harbour&limit=200${more}`)
        ).json();
        expect(total).toBe(memories.length);
        return total;
      }),
    );
  expect(await totals()).toEqual([0, 0, 0]);
  const one = await acme.made({ agent_id, title: 'The harbour is dredged', kind: 'fact' });
  const two = await acme.made({ agent_id, title: 'The quay', body: 'Beside the harbour', kind: 'decision' });
  await acme.made({ agent_id: other, title: 'Another harbour', kind: 'fact' });
  expect([await totals(), await totals()]).toEqual([
    [2, 2, 1],
    [2, 2, 1],
  ]);
  await acme.change(one.id, { status: 'archived' });
  expect(await totals()).toEqual([2, 1, 1]);
  await acme.change(two.id, { kind: 'fact', body: 'Beside the lake' });
  expect(await totals()).toEqual([1, 0, 1]);
  await acme.remove(one.id);
  expect(await totals()).toEqual([0, 0, 0]);
});

it('Memory health counts weekly additions and removals correctly after repeated changes', async () => {
  const agent_id = world.agentId();
  const weeksOf = async () =>
    (await acme.get(`/memories/health?agent_id=${agent_id}&weeks=3`))
      .json()
      .weeks.map(({ created, archived, total }: Record<string, number>) => [created, archived, total]);
  const [one, two, three] = [
    await acme.made({ agent_id }),
    await acme.made({ agent_id }),
    await acme.made({ agent_id }),
  ];
  await acme.change(one.id, { status: 'archived' });
  await world.advance(WEEK);
  await acme.change(two.id, { status: 'archived' });
  expect(await weeksOf()).toEqual([
    [0, 0, 0],
    [3, 1, 2],
    [0, 1, 1],
  ]);
  await acme.change(one.id, { title: 'Corrected while out of use' });
  expect(await weeksOf()).toEqual([
    [0, 0, 0],
    [3, 0, 3],
    [0, 2, 1],
  ]);
  await acme.change(two.id, { status: 'active' });
  await acme.remove(three.id);
  expect(await weeksOf()).toEqual([
    [0, 0, 0],
    [2, 0, 2],
    [0, 1, 1],
  ]);
});
