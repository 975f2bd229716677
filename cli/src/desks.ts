import type { ListedWorkstation } from '../../client/src/index.js';
import type { Call } from './command.js';
import { misuse } from './failure.js';
import { isId, same } from './find.js';

export type Desk = ListedWorkstation & { dormant: boolean };

export async function listDesks({ service, signal }: Call): Promise<Desk[]> {
  const { workstations, dormant } = await service()
    .people()
    .listWorkstations({ with: 'environment' }, { signal });
  return [
    ...workstations.map((desk) => ({ ...desk, dormant: false })),
    ...dormant.map((desk) => ({ ...desk, dormant: true })),
  ];
}

/** Finds a desk by name or id. */
export async function findDesk(call: Call, given: string): Promise<Desk> {
  const desks = await listDesks(call);
  const found = desks.filter(({ workstation_id, name }) => same(workstation_id, given) || same(name, given));
  if (found.length === 1) return found[0]!;
  const names = desks.map(({ name }) => name).join(', ');
  throw misuse(
    found.length === 0 ? `Desk not found: ${given}` : `More than one desk is named ${given}`,
    found.length === 0
      ? names && `Available desks: ${names}`
      : `Use an id: ${found.map((desk) => desk.workstation_id).join(', ')}`,
  );
}

/** Resolves `--desk` to an id; an id is used without a lookup. */
export async function findDeskId(call: Call): Promise<string | undefined> {
  const given = call.options.text('desk');
  if (given === undefined || isId(given)) return given;
  return (await findDesk(call, given)).workstation_id;
}
