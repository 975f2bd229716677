import type { Db, Tx } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import { MEMBER_ROLES, type MemberCaller, type MemberRole } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { recordAudit } from '../../services/audit.js';
import type { IdentityService } from '../identity/identity.service.js';
import type { Member } from './members.schemas.js';
import { memberStore } from './members.store.js';
import { lastAdmin, memberNotFound, nothingToUpdate, unknownRole } from './workspaces.errors.js';

export type MemberService = ReturnType<typeof createMemberService>;

/** Absent keeps, null clears, a value sets. */
interface MemberPatch {
  role?: unknown;
  position?: string | null;
}

interface MemberOptions {
  db: Db;
  clock: Clock;
  identity: Pick<IdentityService, 'changeIdentities'>;
}

export function createMemberService({ db, clock, identity }: MemberOptions) {
  async function applyPatch(
    tx: Tx,
    caller: MemberCaller,
    userId: number,
    role: MemberRole | undefined,
    patch: MemberPatch,
  ) {
    const store = memberStore(tx, caller.brandId);
    if (role !== undefined) await store.lockRoles();
    const member = await store.findMember(userId);
    if (!member) throw memberNotFound();
    if (role === 'member' && member.role === 'admin' && !(await store.hasOtherAdmin(userId)))
      throw lastAdmin();
    if (role !== undefined) await store.changeRole(userId, role);
    if (patch.position !== undefined) await store.changePosition(userId, patch.position);
    await recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action: 'member.changed',
      subject: `user:${userId}`,
      details: {
        ...(role === undefined ? {} : { role }),
        ...(patch.position === undefined ? {} : { position: patch.position }),
      },
      at: clock.now(),
    });
  }

  return {
    listMembers: (brandId: number): Promise<Member[]> => memberStore(db, brandId).listMembers(),

    async getMember(brandId: number, userId: number | undefined): Promise<Member> {
      const member = userId === undefined ? undefined : await memberStore(db, brandId).findMember(userId);
      if (!member) throw memberNotFound();
      return member;
    },

    async changeMember(caller: MemberCaller, userId: number | undefined, patch: MemberPatch): Promise<void> {
      if (patch.role === undefined && patch.position === undefined) throw nothingToUpdate();
      const role = patch.role === undefined ? undefined : readRole(patch.role);
      if (userId === undefined) throw memberNotFound();
      const work = (tx: Tx) => applyPatch(tx, caller, userId, role, patch);
      await (role === undefined ? inTransaction(db, work) : identity.changeIdentities(work));
    },
  };
}

function readRole(value: unknown): MemberRole {
  const role = MEMBER_ROLES.find((known) => known === value);
  if (!role) throw unknownRole();
  return role;
}
