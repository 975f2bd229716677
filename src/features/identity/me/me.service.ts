import type { MemberCaller, SessionCaller } from '../../../kernel/access.js';
import type { IdentityContext } from '../credentials/identity-changes.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { recordPersonAudit } from '../credentials/sign-in-audit.js';
import type { PasswordService } from '../factors/passwords.service.js';
import { nothingToChange } from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import type { ClientInfo } from '../sessions/sign-in-cookies.js';

interface MeOptions extends IdentityContext {
  passwords: Pick<PasswordService, 'changeOwn'>;
  hasProvider: boolean;
}

interface OwnChanges {
  full_name?: string;
  password?: { current: string; new: string };
}

export function createMeService({ db, clock, changeIdentities, passwords, hasProvider }: MeOptions) {
  async function describe(caller: MemberCaller, fullName = caller.fullName) {
    const account = await personStore(db).getOwnAccount(caller.userId);
    const { userId, email, brandId, brandName, plan, role, agent } = caller;
    return {
      user: { user_id: userId, email, full_name: fullName, kind: account.kind },
      brand: { brand_id: brandId, name: brandName, plan },
      role,
      workspaces: await sessionStore(db).listWorkspaces(userId),
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

    async change(caller: SessionCaller, { full_name, password }: OwnChanges, client: ClientInfo) {
      if (full_name === undefined && password === undefined) throw nothingToChange();
      const owner = { ...caller, fullName: full_name ?? caller.fullName };
      const changePassword = password && (await passwords.changeOwn(owner, password, client));
      await changeIdentities(async (tx) => {
        if (full_name !== undefined) {
          await personStore(tx).changeName(caller.userId, full_name);
          const entry = { actor: caller, action: 'user.renamed', at: clock.now() };
          await recordPersonAudit(tx, caller.userId, entry);
        }
        await changePassword?.(tx);
      });
      return describe(caller, owner.fullName);
    },
  };
}
