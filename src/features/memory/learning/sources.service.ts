import type { Static } from 'typebox';
import type { MemberCaller } from '../../../kernel/access.js';
import { timePages } from '../../../kernel/cursor.js';
import { newId } from '../../../kernel/ids.js';
import { PLAN_TERMS } from '../../../kernel/plans.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import {
  isConnectionFailure,
  isQueryTimeout,
} from '../../../platform/database/connection/database-errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { agentStore } from '../agents/agents.store.js';
import {
  agentNotOwned,
  conversationNotFound,
  conversationNotRetried,
  notACursor,
  ownershipUnknown,
  sourceConfigTooLarge,
  sourceNotFound,
  sourcePathInvalid,
  sourceQuotaExceeded,
} from '../memory.errors.js';
import type { ChangeSourceSchema, CreateSourceSchema, PushConversationSchema } from '../memory.schemas.js';
import type { MemoryDeps } from '../records/memory.record.js';
import { type ConversationRow, type ConversationStatus, conversationStore } from './conversations.store.js';
import type { Message } from './messages.js';
import { findSourceFolder } from './session-files.js';
import { type SourceRow, type SourceType, sourceStore } from './sources.store.js';

const toSource = (row: SourceRow) => ({
  id: row.source_id,
  agent_id: row.agent_id,
  source_type: row.source_type,
  config: row.config,
  enabled: row.enabled,
  last_picked_up_at: row.last_picked_up_at?.toISOString() ?? null,
  error: row.error,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const toConversation = (row: ConversationRow) => ({
  id: row.conversation_id,
  agent_id: row.agent_id,
  source_id: row.source_id,
  source_type: row.source_type,
  external_id: row.external_id,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  error: row.error,
});

const MOST_CONFIG = 16_000;
const DEEPEST_CONFIG = 32;

const isSmall = (config: object): boolean =>
  !isDeeper(config, DEEPEST_CONFIG) && JSON.stringify(config).length <= MOST_CONFIG;

const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (than === 0 || Object.values(value).some((inner) => isDeeper(inner, than - 1)));

export function createSourceService({ db, clock, jobs, sourcesDir, cursorSecret }: MemoryDeps) {
  /** Session files are read only from inside the workspace's own folder. */
  async function requireConfig(
    brandId: number,
    sourceType: SourceType,
    config: Record<string, unknown>,
  ): Promise<void> {
    if (!isSmall(config)) throw sourceConfigTooLarge(MOST_CONFIG, DEEPEST_CONFIG);
    if (sourceType === 'agentboard') return;
    if (!(await findSourceFolder(sourcesDir, brandId, config['path']))) throw sourcePathInvalid();
  }

  async function requireOwnedAgent(brandId: number, agentId: string): Promise<void> {
    const owned = await agentStore(db, brandId)
      .owns(agentId)
      .catch((error: unknown) => {
        throw isConnectionFailure(error) || isQueryTimeout(error) ? ownershipUnknown() : error;
      });
    if (!owned) throw agentNotOwned();
  }

  return {
    async createSource(caller: MemberCaller, source: Static<typeof CreateSourceSchema>) {
      const { agent_id, source_type, config = {}, enabled = true } = source;
      const { brandId } = caller;
      await requireConfig(brandId, source_type, config);
      await requireOwnedAgent(brandId, agent_id);
      return inTransaction(db, async (tx) => {
        const store = sourceStore(tx, brandId);
        const current = await store.countLocked();
        const limit = PLAN_TERMS[caller.plan].sources;
        if (current >= limit) throw sourceQuotaExceeded(limit, current);
        const now = clock.now();
        const row = await store.insert({ source_id: newId(), agent_id, source_type, config, enabled }, now);
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'memory.source_created',
          subject: `memory-source:${row.source_id}`,
          at: now,
        });
        return toSource(row);
      });
    },

    async listSources(brandId: number, agentId: string | undefined) {
      const sources = (await sourceStore(db, brandId).list(agentId)).map(toSource);
      return { sources, total: sources.length };
    },

    async getSource(brandId: number, sourceId: string) {
      const row = await sourceStore(db, brandId).find(sourceId);
      if (!row) throw sourceNotFound();
      return toSource(row);
    },

    async changeSource(caller: MemberCaller, sourceId: string, changes: Static<typeof ChangeSourceSchema>) {
      const { brandId } = caller;
      const known = await sourceStore(db, brandId).find(sourceId);
      if (!known) throw sourceNotFound();
      if (changes.config) await requireConfig(brandId, known.source_type, changes.config);
      return inTransaction(db, async (tx) => {
        const now = clock.now();
        const row = await sourceStore(tx, brandId).change(sourceId, changes, now);
        if (!row) throw sourceNotFound();
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'memory.source_changed',
          subject: `memory-source:${sourceId}`,
          at: now,
        });
        return toSource(row);
      });
    },

    async deleteSource(caller: MemberCaller, sourceId: string): Promise<void> {
      const { brandId } = caller;
      await inTransaction(db, async (tx) => {
        if (!(await sourceStore(tx, brandId).remove(sourceId))) throw sourceNotFound();
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'memory.source_deleted',
          subject: `memory-source:${sourceId}`,
          at: clock.now(),
        });
      });
    },

    async pushConversation(brandId: number, pushed: Static<typeof PushConversationSchema>) {
      const messages: Message[] = pushed.messages.map(({ role, content, at }) => ({
        role,
        content,
        at: at ?? null,
      }));
      return inTransaction(db, async (tx) => {
        const now = clock.now();
        if (!(await agentStore(tx, brandId).claim({ agentId: pushed.agent_id, now }))) throw agentNotOwned();
        const store = conversationStore(tx, brandId);
        const { conversation, created } = await store.receive(
          {
            agentId: pushed.agent_id,
            sourceId: await store.findSourceId(pushed.agent_id, pushed.source_type),
            sourceType: pushed.source_type,
            externalId: pushed.external_id,
            messages,
            extent: 'whole',
          },
          now,
        );
        return { conversation: toConversation(conversation), created };
      });
    },

    /** Adds the conversation of a build, in the transaction that ends it. False when the agent belongs to another workspace. */
    async receiveFromBuild(
      tx: Tx,
      brandId: number,
      said: { agentId: string; buildId: string; messages: Message[]; fromGuest: boolean },
    ): Promise<boolean> {
      const now = clock.now();
      if (!(await agentStore(tx, brandId).claim({ agentId: said.agentId, now }))) return false;
      await conversationStore(tx, brandId).receive(
        {
          agentId: said.agentId,
          sourceId: null,
          sourceType: 'build',
          externalId: said.buildId,
          messages: said.messages,
          extent: 'whole',
          fromGuest: said.fromGuest,
        },
        now,
      );
      return true;
    },

    async listConversations(
      brandId: number,
      {
        cursor,
        limit,
        ...filter
      }: { agentId?: string; status?: ConversationStatus; limit: number; cursor?: string },
    ) {
      const pages = timePages(cursorSecret, `conversations:${brandId}`, notACursor);
      const after = pages.read(cursor);
      const { rows, total } = await conversationStore(db, brandId).list({
        ...filter,
        after,
        limit: limit + 1,
      });
      const { page, next_cursor } = pages.cut(rows, limit, (row) => ({
        at: row.created_at,
        id: row.conversation_id,
      }));
      return { conversations: page.map(toConversation), total, next_cursor };
    },

    /** Also starts the job that processes it. */
    retryConversation: (brandId: number, conversationId: string) =>
      inTransaction(db, async (tx) => {
        const store = conversationStore(tx, brandId);
        const retried = await store.makeDue(conversationId, clock.now());
        if (!retried) {
          const status = await store.findStatus(conversationId);
          throw status === undefined ? conversationNotFound() : conversationNotRetried(status);
        }
        await jobs.trigger(tx, retried.attempts > 0 ? 'memory-retry' : 'memory-pickup');
        return toConversation(retried);
      }),
  };
}

export type SourceService = ReturnType<typeof createSourceService>;
