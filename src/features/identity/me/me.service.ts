import type { MemberCaller, SessionCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { recordPersonAudit } from '../credentials/person-audit.js';
import type { PasswordService } from '../factors/passwords.service.js';
import { nothingToChange } from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import type { Visitor } from '../sessions/visitor.js';
import { meStore } from './me.store.js';

interface MeOptions {
  db: Db;
  clock: Clock;
  changeIdentities: ChangeIdentities;
  passwords: Pick<PasswordService, 'changeOwn'>;
  /** Whether anybody signs in by a provider here. */
  hasProvider: boolean;
}

interface OwnChanges {
  full_name?: string;
  password?: { current: string; new: string };
}

/** A person's own account. */
export function createMeService({ db, clock, changeIdentities, passwords, hasProvider }: MeOptions) {
  async function describe(caller: MemberCaller, fullName = caller.fullName) {
    const store = meStore(db, caller.userId);
    const account = await store.getAccount();
    const { userId, email, brandId, brandName, plan, role, agent } = caller;
    return {
      user: { user_id: userId, email, full_name: fullName, kind: account.kind },
      brand: { brand_id: brandId, name: brandName, plan },
      role,
      workspaces: await store.listWorkspaces(),
      mfa: { totp: account.has_totp, recovery_codes_left: account.recovery_codes_left },
      sign_in: [
        ...(account.has_password ? ['password'] : []),
        ...(hasProvider && account.has_oidc ? ['oidc'] : []),
      ],
      agent: agent && { agent_id: agent.agentId, name: agent.name },
    };
  }

  return {
    describe: (caller: MemberCaller) => describe(caller),

    async change(caller: SessionCaller, { full_name, password }: OwnChanges, visitor: Visitor) {
      if (full_name === undefined && password === undefined) throw nothingToChange();
      const owner = { ...caller, fullName: full_name ?? caller.fullName };
      const changePassword = password && (await passwords.changeOwn(owner, password, visitor));
      await changeIdentities(async (tx: Tx) => {
        if (full_name !== undefined) {
          await personStore(tx).changeName(caller.userId, full_name);
          await recordPersonAudit(tx, caller.userId, {
            actor: caller,
            action: 'user.renamed',
            at: clock.now(),
          });
        }
        await changePassword?.(tx);
      });
      return describe(caller, owner.fullName);
    },
  };
}
