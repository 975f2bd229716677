import type { SessionCaller } from '../../kernel/access.js';
import { type PersonalPart, pagedPart, withoutAddresses } from '../../kernel/actors.js';
import { type Clock, HOUR } from '../../kernel/clock.js';
import { recordAudit } from '../../platform/audit/audit.js';
import type { Db } from '../../platform/database/database.js';
import { readWorkspaceRows } from '../../platform/database/schema/workspace-rows.js';
import { rewriteKeptAnswers } from '../../platform/http/idempotency/idempotency.js';
import type { JobDefinition, Jobs } from '../../platform/jobs/jobs.js';
import type { RateLimits } from '../../platform/limits/rate-limits.js';
import type { ClientInfo, ProofInput, RecheckProof } from '../identity/index.js';
import { createErasing, createOutsideThings, type ErasingOptions, type OutsideOptions } from './erasing.js';
import { erasureStore, listAuditOf } from './erasures.store.js';

export const ERASE_JOB = 'erase';
export const TOO_MANY_EXPORTS = 'Too many exports of your data; try again later';

const EXPORTS_PER_HOUR = 10;
const OPERATOR = { kind: 'operator' };

/** Features that store data of a single person. */
interface PersonalDataOwner {
  listPersonalParts(userId: number): PersonalPart[];
}

export interface DataRequestOptions extends Omit<ErasingOptions, 'outside'> {
  db: Db;
  clock: Clock;
  jobs: Pick<Jobs, 'trigger'>;
  rateLimits: RateLimits;
  places: OutsideOptions;
  personalDataOwners: readonly PersonalDataOwner[];
}

export type DataRequestService = ReturnType<typeof createDataRequestService>;

export function createDataRequestService(options: DataRequestOptions) {
  const { db, clock, jobs, rateLimits, identity, workspaces, boards, webhooks, places, personalDataOwners } =
    options;
  const erasing = createErasing({ ...options, outside: createOutsideThings(options.places) });
  const exports = rateLimits.limiter('personal-export', {
    points: EXPORTS_PER_HOUR,
    durationSeconds: HOUR,
    detail: TOO_MANY_EXPORTS,
  });

  async function closePerson(
    userId: number,
    wish: { actor: { kind: string; userId?: number }; evenLastAdmin: boolean; recheckProof?: RecheckProof },
  ): Promise<void> {
    const { actor, evenLastAdmin, recheckProof } = wish;
    const addresses = await identity.changeIdentities(async (tx) => {
      await recheckProof?.(tx);
      const at = clock.now();
      const own = await identity.erasing.listAddresses(tx, userId);
      await identity.erasing.closePerson(tx, userId, { evenLastAdmin });
      const all = [...own, ...(await workspaces.mailAddresses.endAddresses(tx, userId))];
      await rewriteKeptAnswers(tx, all, (value) => withoutAddresses(value, userId, all));
      // The job needs all addresses to find their traces everywhere.
      await erasureStore(tx).insert('person', userId, at, { addresses: all });
      await recordAudit(tx, {
        brandId: null,
        actor,
        action: 'user.erasure-requested',
        subject: `user:${userId}`,
        at,
      });
      await jobs.trigger(tx, ERASE_JOB);
      return all;
    });
    await places.mailer.forget(addresses);
  }

  return {
    runPass: erasing.runPass,

    async exportPerson({ userId }: SessionCaller): Promise<AsyncGenerator<string>> {
      await exports.take(String(userId));
      const profile = await identity.erasing.readProfile(userId);
      const brandIds = await identity.erasing.listPastWorkspaces(db, userId);
      return writePersonalData({ exported_at: clock.now(), profile }, [
        ...identity.erasing.listPersonalParts(userId),
        ...workspaces.mailAddresses.listPersonalParts(userId),
        ...boards.people.listPersonalParts(userId),
        ...personalDataOwners.flatMap((owner) => owner.listPersonalParts(userId)),
        pagedPart(
          'audit',
          ({ id }: { id: string }) => id,
          (after, limit) => listAuditOf(db, { userId, brandIds }, after, limit),
        ),
      ]);
    },

    async eraseOwnAccount(caller: SessionCaller, proof: ProofInput, client: ClientInfo): Promise<void> {
      const recheckProof = await identity.proofs.prove(caller, proof, client);
      await closePerson(caller.userId, { actor: caller, evenLastAdmin: false, recheckProof });
    },

    /** The operator may leave a workspace without an admin. */
    eraseUser: (userId: number): Promise<void> =>
      closePerson(userId, { actor: OPERATOR, evenLastAdmin: true }),

    eraseWorkspace: (brandId: number, name: string): Promise<void> =>
      identity.changeIdentities(async (tx) => {
        await workspaces.brands.beginErasing(tx, brandId, name);
        await identity.erasing.closeWorkspace(tx, brandId);
        await webhooks.closeWorkspace(tx, brandId);
        const at = clock.now();
        await erasureStore(tx).insert('workspace', brandId, at);
        const subject = `brand:${brandId}`;
        await recordAudit(tx, {
          brandId: null,
          actor: OPERATOR,
          action: 'brand.erasure-requested',
          subject,
          at,
        });
        await jobs.trigger(tx, ERASE_JOB);
      }),

    async exportWorkspace(brandId: number): Promise<AsyncGenerator<string>> {
      await workspaces.brands.get(brandId);
      return readWorkspaceRows(db, brandId);
    },
  };
}

/**
 * Triggered by each request; the schedule repeats failed steps, such as an image in an unavailable storage.
 */
export const dataRequestJobs = (requests: DataRequestService): JobDefinition[] => [
  {
    name: ERASE_JOB,
    description: 'Erases people and workspaces that asked for it.',
    schedule: { everySeconds: 300 },
    run: requests.runPass,
  },
];

/** Streams one JSON document page by page, so memory use stays small for any amount of data. */
export async function* writePersonalData(
  head: Record<string, unknown>,
  parts: readonly PersonalPart[],
): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1);
  for (const { name, page } of parts) {
    yield `,${JSON.stringify(name)}:[`;
    let separator = '';
    for (let after: string | undefined; ; ) {
      const { items, next } = await page(after);
      if (items.length > 0) {
        yield separator + items.map((item) => JSON.stringify(item)).join(',');
        separator = ',';
      }
      if (next === undefined) break;
      after = next;
    }
    yield ']';
  }
  yield '}';
}
