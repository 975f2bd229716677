import type { MemberRole } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { CursorCodec } from '../../kernel/cursor.js';
import { type ApiError, badRequest, conflict, notFound, unprocessable } from '../../kernel/errors.js';
import { parseIntegerId } from '../../kernel/ids.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { violatedConstraint } from '../../platform/database/connection/database-errors.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import { brandNotFound } from '../../platform/http/request/authentication.js';
import { type CatalogFields, changeProfile, createProfile, installPackage } from '../hires/index.js';
import { type IdentityService, type TokenInput, userNotFound } from '../identity/index.js';
import { registerAgent } from '../memory/index.js';
import { addressNotAvailable, type BrandFields, type WorkspaceService } from '../workspaces/index.js';
import { operatorStore } from './operator.store.js';

export const tokenNotFound = () => notFound('Token not found');
export const jobNotFound = () => notFound('No job has that name');
export const catalogProfileNotFound = () => notFound('No catalog employee has that id');
export const emailTaken = () => conflict('A user with this email already exists');
export const twoMailboxes = () => unprocessable('mail_name and mail_address exclude each other');
export const agentTaken = () => conflict('An agent with this agent_id already exists');
export const packageInstalled = () => conflict('This package is already installed');
export const notACursor = () => badRequest('cursor is not one that this endpoint issued');

const OPERATOR = { kind: 'operator' };
const AUDIT_PAGE = 50;
const MOST_BRANDS = 10_000;

export interface OperatorOptions {
  db: Db;
  clock: Clock;
  identity: IdentityService;
  workspaces: Pick<WorkspaceService, 'mails' | 'brands' | 'mailAddresses' | 'members'>;
  cursorSecret: string;
}

export type OperatorService = ReturnType<typeof createOperatorService>;

export function createOperatorService({ db, clock, identity, workspaces, cursorSecret }: OperatorOptions) {
  const { brands, mailAddresses, members } = workspaces;
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

  /** Runs a change of the operator with its audit row, and maps constraint violations to public errors. */
  async function write<T>(
    work: (tx: Tx) => Promise<T>,
    entry: (result: T) => ReturnType<typeof audited>,
    refusals: Record<string, () => ApiError> = {},
  ): Promise<T> {
    try {
      return await inTransaction(db, async (tx) => {
        const result = await work(tx);
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
        (tx) => brands.create(tx, wish),
        (brand) => audited(brand.brand_id, 'brand.created', `brand:${brand.brand_id}`),
      ),

    /** Returns all workspaces unless a page is requested or the answer would be too large. */
    async listBrands({
      query: q,
      limit = MOST_BRANDS,
      cursor,
    }: {
      query?: string;
      limit?: number;
      cursor?: string;
    }) {
      const places = new CursorCodec(cursorSecret, 'brands');
      const after = cursor === undefined ? undefined : (places.decode(cursor) ?? fail(notACursor()));
      const [rows, total] = await Promise.all([
        brands.list({ q, after: after as number | undefined, limit: limit + 1 }),
        brands.count(q),
      ]);
      const page = rows.slice(0, limit);
      const hasMore = rows.length > page.length;
      return { brands: page, total, next_cursor: hasMore ? places.encode(page.at(-1)!.brand_id) : null };
    },

    getBrand: brands.get,

    async changeBrand(brandId: number, fields: Partial<BrandFields>) {
      if (Object.keys(fields).length === 0) return brands.get(brandId);
      return identity.changeIdentities(async (tx) => {
        const brand = await brands.change(tx, brandId, fields);
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
      const passwordHash = wish.password ? await identity.hashNewPassword(wish.password, wish) : null;
      return write(
        async (tx) => {
          const person = await identity.people.create(tx, {
            email: wish.email,
            full_name: wish.full_name,
            password_hash: passwordHash,
            kind: wish.kind ?? 'person',
            mail_address: wish.mail_address ?? null,
          });
          const has_password = passwordHash !== null;
          if (!wish.mail_name) return { ...person, has_password };
          const address = await mailAddresses.give(tx, person.user_id, wish.mail_name);
          return { ...person, has_password, mail_address: address ?? fail(addressNotAvailable()) };
        },
        (created) => audited(null, 'user.created', `user:${created.user_id}`),
        { users_email_unique: emailTaken, users_account_name_unique: emailTaken },
      );
    },

    async putMember(
      brandId: number,
      userId: number,
      fields: { role?: MemberRole; position?: string | null },
    ) {
      await brands.get(brandId);
      return identity.changeIdentities(async (tx) => {
        if (!(await identity.people.exists(tx, userId))) throw userNotFound();
        const member = await identity.members.put(tx, brandId, userId, fields);
        await recordAudit(tx, audited(brandId, 'member.put', `user:${userId}`, { role: member.role }));
        return member;
      });
    },

    /** Notifies the person after the commit. */
    async removeLostFactor(userId: number): Promise<void> {
      await workspaces.mails.sendFactorRemoved(await identity.mfa.removeLost(userId, OPERATOR));
    },

    async listMembers(brandId: number) {
      await brands.get(brandId);
      const listed = await members.listMembers(brandId);
      return { members: listed.map(({ photo: _, ...member }) => member), total: listed.length };
    },

    async listTokens(brandId: number) {
      await brands.get(brandId);
      return identity.tokens.listOfWorkspace(brandId);
    },

    async removeMember(brandId: number, userId: number): Promise<void> {
      await brands.get(brandId);
      await identity.changeIdentities(async (tx) => {
        await identity.members.remove(tx, brandId, userId, { evenLastAdmin: true });
        await recordAudit(tx, audited(brandId, 'member.removed', `user:${userId}`));
      });
    },

    async createToken(brandId: number, wish: { user_id: number } & TokenInput) {
      const brand = await brands.get(brandId);
      const userId = parseIntegerId(String(wish.user_id));
      const token = await inTransaction(db, (tx) => identity.tokens.issue(tx, brand, userId, wish, OPERATOR));
      return { ...token, brand_id: brandId, user_id: wish.user_id };
    },

    async revokeToken(tokenId: string): Promise<void> {
      if (!(await identity.tokens.revoke(OPERATOR, tokenId))) throw tokenNotFound();
    },

    async createAgent(wish: { agent_id: string; name?: string; brand_id?: number | null }) {
      if (wish.brand_id != null)
        await brands.get(parseIntegerId(String(wish.brand_id)) ?? fail(brandNotFound()));
      return write(
        (tx) =>
          registerAgent(tx, {
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
      await brands.get(brandId);
      return write(
        async (tx) => (await installPackage(tx, brandId, wish, clock.now())) ?? fail(packageInstalled()),
        (installed) => audited(brandId, 'package.installed', `package:${installed.name}`),
      );
    },

    async addFeedSource(brandId: number, wish: { name: string; url: string }) {
      await brands.get(brandId);
      return write(
        (tx) => brands.addFeedSource(tx, brandId, wish),
        (source) => audited(brandId, 'feed_source.added', `feed_source:${source.feed_source_id}`),
      );
    },

    createProfile: (wish: Partial<CatalogFields> & { name: string }) =>
      write(
        (tx) => createProfile(tx, wish, clock.now()),
        (profile) => audited(null, 'catalog.created', `catalog:${profile.profile_id}`),
      ),

    changeProfile: (profileId: string, fields: Partial<CatalogFields>) =>
      write(
        async (tx) =>
          (await changeProfile(tx, profileId, fields, clock.now())) ?? fail(catalogProfileNotFound()),
        () => audited(null, 'catalog.changed', `catalog:${profileId}`, { fields: Object.keys(fields) }),
      ),

    async listAudit(query: { cursor?: string; limit?: number; brand_id?: number; action?: string }) {
      const limit = query.limit ?? AUDIT_PAGE;
      const position =
        query.cursor === undefined ? undefined : (cursors.decode(query.cursor) ?? fail(notACursor()));
      const rows = await operatorStore(db).listAudit({
        before: position as number | undefined,
        brandId: query.brand_id,
        action: query.action,
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      return {
        items: page.map((row) => ({
          id: String(row.audit_id),
          at: row.at,
          brand_id: row.brand_id,
          actor: {
            kind: row.actor_kind,
            user_id: row.actor_user_id,
            token_id: row.actor_token_id,
            agent_id: row.actor_agent_id,
          },
          action: row.action,
          subject: row.subject,
          details: row.details,
          request_id: row.request_id,
          address: row.address,
          credential: row.credential,
        })),
        next_cursor: rows.length > limit ? cursors.encode(page.at(-1)!.audit_id) : null,
      };
    },
  };
}

function fail(error: ApiError): never {
  throw error;
}
