import { MEMBER_ROLES, type MemberCaller, type MemberRole } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { type IdentityService, memberNotFound } from '../../identity/index.js';
import { nothingToUpdate, unknownRole } from '../workspaces.errors.js';
import type { Member } from '../workspaces.schemas.js';
import { type MemberName, memberStore } from './members.store.js';

export type MemberService = ReturnType<typeof createMemberService>;

/** Absent fields are kept, null clears a field, a value sets it. */
interface MemberPatch {
  role?: unknown;
  position?: string | null;
}

interface MemberOptions {
  db: Db;
  clock: Clock;
  identity: Pick<IdentityService, 'changeIdentities' | 'members' | 'requireStillAdmin'>;
}

export function createMemberService({ db, clock, identity }: MemberOptions) {
  const record = (tx: Tx, caller: MemberCaller, action: string, userId: number, details: object = {}) =>
    recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action,
      subject: `user:${userId}`,
      details: { ...details },
      at: clock.now(),
    });

  return {
    listMembers: (brandId: number): Promise<Member[]> => memberStore(db, brandId).listMembers(),

    listNames: (brandId: number, words: readonly string[]): Promise<MemberName[]> =>
      memberStore(db, brandId).listNames(words),

    async getMember(brandId: number, userId: number | undefined): Promise<Member> {
      const member = userId === undefined ? undefined : await memberStore(db, brandId).findMember(userId);
      if (!member) throw memberNotFound();
      return member;
    },

    async changeMember(caller: MemberCaller, userId: number | undefined, patch: MemberPatch): Promise<void> {
      if (patch.role === undefined && patch.position === undefined) throw nothingToUpdate();
      const role = patch.role === undefined ? undefined : readRole(patch.role);
      if (userId === undefined) throw memberNotFound();
      const { position } = patch;
      const fields = { ...(role !== undefined && { role }), ...(position !== undefined && { position }) };
      const work = async (tx: Tx) => {
        await identity.members.lockRoles(tx, caller.brandId);
        await identity.requireStillAdmin(tx, caller);
        await identity.members.change(tx, caller.brandId, userId, fields);
        await record(tx, caller, 'member.changed', userId, fields);
      };
      await (role === undefined ? inTransaction(db, work) : identity.changeIdentities(work));
    },

    async removeMember(caller: MemberCaller, userId: number): Promise<void> {
      await identity.changeIdentities(async (tx) => {
        await identity.members.lockRoles(tx, caller.brandId);
        await identity.requireStillAdmin(tx, caller);
        await identity.members.remove(tx, caller.brandId, userId);
        await record(tx, caller, 'member.removed', userId);
      });
    },
  };
}

function readRole(value: unknown): MemberRole {
  const role = MEMBER_ROLES.find((known) => known === value);
  if (!role) throw unknownRole();
  return role;
}
