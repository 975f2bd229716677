import { explainFault, isRefused, type Refusals } from '../../../kernel/plans.js';
import type { BuilderDesk } from '../../workstations/index.js';
import type { WaitingReason } from '../builds.schemas.js';
import { ASKS_WITHIN_SECONDS } from '../record/builds.store.js';
import type { Waiting } from '../record/builds.views.js';

export interface DeskAsking {
  desk_id: string;
  asked_at: Date | null;
  free_slots: number;
  coders: string[];
  missing: { coder: string; reason: string }[];
  held_until: Date | null;
  refusals: Refusals;
}

interface WaitingBuild {
  coder: string;
  project_id: string;
  wanted_workstation_id: string | null;
}

interface Allowed {
  enabled: boolean;
  unpaid?: string | undefined;
}

type Askings = ReadonlyMap<string, DeskAsking>;

const MOST_NAMED = 3;

export function explainWaiting(
  build: WaitingBuild,
  desks: readonly BuilderDesk[],
  askings: Askings,
  { enabled, unpaid }: Allowed,
  now: Date,
): Waiting {
  if (!enabled) return waitsFor('policy', 'Builds are switched off in this workspace');
  if (unpaid !== undefined) return waitsFor('budget', unpaid);
  const wanted = build.wanted_workstation_id;
  const asked = desks.filter(({ deskId }) => wanted === null || wanted === deskId);
  const judged = asked.map((desk) => ({ desk, fault: findFault(desk, askings, build, now) }));
  const open = judged.flatMap(({ desk, fault }) => (fault === undefined ? [desk] : []));
  if (open.length === 0) return waitsFor('desk', sayNoDesk(build, judged));
  const limitOf = ({ deskId }: BuilderDesk) => {
    const until = askings.get(deskId)?.held_until;
    return until && until > now ? until : undefined;
  };
  const refused = open.filter(({ deskId, logins }) =>
    isRefused(build.coder, askings.get(deskId)?.refusals ?? {}, logins),
  );
  const limited = open.filter((desk) => !refused.includes(desk) && limitOf(desk));
  const able = open.filter((desk) => !refused.includes(desk) && !limited.includes(desk));
  if (able.length > 0) {
    const free = able.filter(({ deskId }) => (askings.get(deskId)?.free_slots ?? 0) > 0);
    return waitsFor(
      'slot',
      free.length > 0
        ? `Goes to a desk that is free: ${listSome(free.map(nameOf))}`
        : `Every desk that runs ${build.coder} is busy: ${listSome(able.map(nameOf))}`,
    );
  }
  const first = limited.map((desk) => limitOf(desk)!).sort((one, other) => Number(one) - Number(other))[0];
  const held = [
    ...(first
      ? [`until ${sayTime(first)}, as a provider's limit was reached: ${listSome(limited.map(nameOf))}`]
      : []),
    ...(refused.length > 0
      ? [
          `until someone signs in there or retries, because its login was rejected: ${listSome(refused.map(nameOf))}`,
        ]
      : []),
  ];
  const reason = `Every desk that runs ${build.coder} is on hold ${held.join('; ')}`;
  return { ...waitsFor('hold', reason), held_until: first ?? null };
}

const sayTime = (moment: Date): string => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const waitsFor = (waiting_for: WaitingReason, waiting_reason: string): Waiting => ({
  waiting_for,
  held_until: null,
  waiting_reason,
});

function findFault(
  desk: BuilderDesk,
  askings: Askings,
  { coder, project_id }: WaitingBuild,
  now: Date,
): string | undefined {
  if (!desk.ready) return desk.suspended ? 'is suspended' : 'is not ready';
  if (desk.onlyProjectId !== null && desk.onlyProjectId !== project_id)
    return 'belongs to the demo and builds its project only';
  const asking = askings.get(desk.deskId);
  const said = asking?.asked_at ? asking : undefined;
  const fault = explainFault(desk.runtime, said, coder);
  if (fault !== null) return `has no ${coder}: ${fault}`;
  return said && asksStill(said, now) ? undefined : 'does not ask for work';
}

export const asksStill = ({ asked_at }: DeskAsking, now: Date): boolean =>
  asked_at !== null && now.getTime() - asked_at.getTime() < ASKS_WITHIN_SECONDS * 1000;

function sayNoDesk({ coder }: WaitingBuild, judged: { desk: BuilderDesk; fault?: string }[]): string {
  if (judged.length === 0) return `No ready desk runs ${coder}: this workspace has no desk`;
  // Faults of ready desks first, because they are the easiest to fix.
  const told = [...judged].sort((one, other) => Number(other.desk.ready) - Number(one.desk.ready));
  return `No ready desk runs ${coder}: ${listSome(
    told.map(({ desk, fault }) => `${nameOf(desk)} ${fault}`),
    '; ',
  )}`;
}

const nameOf = ({ name }: BuilderDesk): string => `desk ${name}`;

function listSome(words: string[], between = ', '): string {
  const more = words.length - MOST_NAMED;
  return words.slice(0, MOST_NAMED).join(between) + (more > 0 ? `${between}and ${more} more` : '');
}
