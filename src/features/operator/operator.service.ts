import { violatedConstraint } from '../../database/constraints.js';
import type { Db } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import { brandNotFound } from '../../http/authentication.js';
import { DEFAULT_SCOPE_CEILING } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { CursorCodec } from '../../kernel/cursor.js';
import type { ApiError } from '../../kernel/errors.js';
import { newId, parseIntegerId } from '../../kernel/ids.js';
import { recordAudit } from '../../services/audit.js';
import { type IdentityService, issueToken, requireCeiling } from '../identity/identity.service.js';
import {
  agentTaken,
  catalogProfileNotFound,
  emailTaken,
  mailNameTaken,
  memberNotFound,
  notACursor,
  packageInstalled,
  tokenNotFound,
  twoMailboxes,
  userNotFound,
} from './operator.errors.js';
import { type BrandFields, type CatalogFields, operatorStore } from './operator.store.js';

const OPERATOR = { kind: 'operator' };
const AUDIT_PAGE = 50;

export interface OperatorOptions {
  db: Db;
  clock: Clock;
  identity: IdentityService;
  mailDomain: string;
  cursorSecret: string;
}

export type OperatorService = ReturnType<typeof createOperatorService>;

export function createOperatorService({ db, clock, identity, mailDomain, cursorSecret }: OperatorOptions) {
  const cursors = new CursorCodec(cursorSecret, 'audit');
  const audited = (
    brandId: number | null,
    action: string,
    subject: string,
    details: Record<string, unknown> = {},
  ) => ({
    brandId,
    actor: OPERATOR,
    action,
    subject,
    details,
    at: clock.now(),
  });

  async function requireBrand(brandId: number) {
    return (await operatorStore(db).findBrand(brandId)) ?? fail(brandNotFound());
  }

  /** A write of the operator with its audit row, and the public error for a constraint that stands in the way. */
  async function write<T>(
    work: (store: ReturnType<typeof operatorStore>) => Promise<T>,
    entry: (result: T) => ReturnType<typeof audited>,
    refusals: Record<string, () => ApiError> = {},
  ): Promise<T> {
    try {
      return await inTransaction(db, async (tx) => {
        const result = await work(operatorStore(tx));
        await recordAudit(tx, entry(result));
        return result;
      });
    } catch (error) {
      const refusal = refusals[violatedConstraint(error) ?? ''];
      throw refusal ? refusal() : error;
    }
  }

  return {
    createBrand: (wish: Partial<BrandFields> & { name: string }) =>
      write(
        (store) =>
          store.insertBrand({
            plan: 'team',
            subscription_active: true,
            scope_ceiling: [...DEFAULT_SCOPE_CEILING],
            new_navigation: true,
            ...wish,
            created_at: clock.now(),
          }),
        (brand) => audited(brand.brand_id, 'brand.created', `brand:${brand.brand_id}`),
      ),

    listBrands: () => operatorStore(db).listBrands(),

    getBrand: requireBrand,

    async changeBrand(brandId: number, fields: Partial<BrandFields>) {
      if (Object.keys(fields).length === 0) return requireBrand(brandId);
      return identity.changeIdentities(async (tx) => {
        const brand = (await operatorStore(tx).updateBrand(brandId, fields)) ?? fail(brandNotFound());
        await recordAudit(tx, audited(brandId, 'brand.changed', `brand:${brandId}`, { fields }));
        return brand;
      });
    },

    async createUser(wish: {
      email: string;
      full_name: string;
      password?: string | null;
      kind?: string;
      mail_name?: string | null;
      mail_address?: string | null;
    }) {
      if (wish.mail_name && wish.mail_address) throw twoMailboxes();
      const passwordHash = wish.password ? await identity.hashPassword(wish.password) : null;
      const user = await write(
        async (store) => {
          const now = clock.now();
          const created = await store.insertUser({
            email: wish.email,
            full_name: wish.full_name,
            password_hash: passwordHash,
            kind: wish.kind ?? 'person',
            mail_address: wish.mail_address ?? null,
            created_at: now,
          });
          if (wish.mail_name && !(await store.insertMailName(wish.mail_name, created.user_id, now)))
            throw mailNameTaken();
          return created;
        },
        (created) => audited(null, 'user.created', `user:${created.user_id}`),
        { users_email_unique: emailTaken },
      );
      return {
        ...user,
        has_password: passwordHash !== null,
        mail_address: wish.mail_name ? `${wish.mail_name}@${mailDomain}` : user.mail_address,
      };
    },

    async putMember(brandId: number, userId: number, fields: { role?: string; position?: string | null }) {
      await requireBrand(brandId);
      return identity.changeIdentities(async (tx) => {
        const store = operatorStore(tx);
        if (!(await store.userExists(userId))) throw userNotFound();
        const member = await store.upsertMember(brandId, userId, fields, clock.now());
        await recordAudit(tx, audited(brandId, 'member.put', `user:${userId}`, { role: member.role }));
        return member;
      });
    },

    async removeMember(brandId: number, userId: number): Promise<void> {
      await requireBrand(brandId);
      await identity.changeIdentities(async (tx) => {
        if (!(await operatorStore(tx).deactivateMember(brandId, userId, clock.now()))) throw memberNotFound();
        await recordAudit(tx, audited(brandId, 'member.removed', `user:${userId}`));
      });
    },

    async createToken(
      brandId: number,
      wish: { user_id: number; scopes: string[]; name: string; expiresAt: Date | null },
    ) {
      const brand = await requireBrand(brandId);
      requireCeiling(wish.scopes, brand.scope_ceiling);
      const userId = parseIntegerId(String(wish.user_id));
      if (userId === undefined || !(await operatorStore(db).isActiveMember(brandId, userId)))
        throw memberNotFound();
      const token = await inTransaction(db, (tx) =>
        issueToken(tx, clock.now(), { ...wish, brandId, userId }, OPERATOR),
      );
      return { ...token, brand_id: brandId, user_id: userId };
    },

    async revokeToken(tokenId: string): Promise<void> {
      await identity.changeIdentities(async (tx) => {
        const token = (await operatorStore(tx).revokeToken(tokenId, clock.now())) ?? fail(tokenNotFound());
        await recordAudit(tx, audited(token.brand_id, 'token.revoked', `token:${tokenId}`));
      });
    },

    async createAgent(wish: { agent_id: string; name?: string; brand_id?: number | null }) {
      if (wish.brand_id != null)
        await requireBrand(parseIntegerId(String(wish.brand_id)) ?? fail(brandNotFound()));
      return write(
        (store) =>
          store.insertAgent({
            agent_id: wish.agent_id,
            name: wish.name ?? wish.agent_id,
            brand_id: wish.brand_id ?? null,
            created_at: clock.now(),
          }),
        (agent) => audited(agent.brand_id, 'agent.created', `agent:${agent.agent_id}`),
        { agents_pkey: agentTaken },
      );
    },

    async installPackage(brandId: number, wish: { name: string; version: string }) {
      await requireBrand(brandId);
      return write(
        async (store) => {
          const wanted = { package_id: newId(), brand_id: brandId, ...wish, installed_at: clock.now() };
          const installed = await store.insertPackage(wanted);
          if (!installed) throw packageInstalled();
          return installed;
        },
        (installed) => audited(brandId, 'package.installed', `package:${installed.name}`),
      );
    },

    async addFeedSource(brandId: number, wish: { name: string; url: string }) {
      await requireBrand(brandId);
      return write(
        (store) =>
          store.insertFeedSource({
            feed_source_id: newId(),
            brand_id: brandId,
            ...wish,
            created_at: clock.now(),
          }),
        (source) => audited(brandId, 'feed_source.added', `feed_source:${source.feed_source_id}`),
      );
    },

    createProfile(wish: Partial<CatalogFields> & { name: string }) {
      const now = clock.now();
      return write(
        (store) =>
          store.insertProfile({
            description: '',
            published: true,
            builder: false,
            template: null,
            repository: null,
            ...wish,
            profile_id: newId(),
            created_at: now,
            updated_at: now,
          }),
        (profile) => audited(null, 'catalog.created', `catalog:${profile.profile_id}`),
      );
    },

    changeProfile: (profileId: string, fields: Partial<CatalogFields>) =>
      write(
        async (store) =>
          (await store.updateProfile(profileId, { ...fields, updated_at: clock.now() })) ??
          fail(catalogProfileNotFound()),
        () => audited(null, 'catalog.changed', `catalog:${profileId}`, { fields: Object.keys(fields) }),
      ),

    async listAudit(query: { cursor?: string; limit?: number; brand_id?: number }) {
      const limit = query.limit ?? AUDIT_PAGE;
      const position =
        query.cursor === undefined ? undefined : (cursors.decode(query.cursor) ?? fail(notACursor()));
      const rows = await operatorStore(db).listAudit({
        before: position as number | undefined,
        brandId: query.brand_id,
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      return {
        items: page.map((row) => ({
          id: String(row.audit_id),
          at: row.at,
          brand_id: row.brand_id,
          actor: { kind: row.actor_kind, user_id: row.actor_user_id, token_id: row.actor_token_id },
          action: row.action,
          subject: row.subject,
          details: row.details,
          request_id: row.request_id,
        })),
        next_cursor: rows.length > limit ? cursors.encode(page.at(-1)!.audit_id) : null,
      };
    },
  };
}

function fail(error: ApiError): never {
  throw error;
}
