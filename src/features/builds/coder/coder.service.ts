import type { BuildCaller, Scope } from '../../../kernel/access.js';
import { isWellFormedToken, newToken, sha256Hex } from '../../../kernel/secrets.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { BUILD_TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import { verdictRequired } from '../builds.errors.js';
import { stallStore } from '../lifecycle/lifecycle.store.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import { reviewerStore } from '../record/reviewer.store.js';
import type { Verdict } from '../review.schemas.js';
import { coderTokenStore, findTokenHolder } from './coder.store.js';

const CODER_SCOPES: readonly Scope[] = ['memory:read', 'memory:write', 'code:read'];

type Marked = Pick<BuildRow, 'guest_words' | 'brand_id' | 'task_id' | 'build_id'>;

interface ConversationLine {
  role: string;
  content: string;
  at: string | null;
}

export type CoderService = ReturnType<typeof createCoderService>;

export function createCoderService(deps: BuildDeps) {
  const { db, clock, secrets, baseUrl, identity, boards, memory } = deps;

  const placeOf = (buildId: string) => `build_tokens:${buildId}`;

  async function findAgent(tx: Tx, { brand_id, task_id }: BuildRow): Promise<string | null> {
    return (await boards.findCardToBuild(brand_id, task_id, tx))?.card.assignee_agent_id ?? null;
  }

  /**
   * The brief or the card holds text of a guest. The mark is permanent, because the coder has read the text.
   */
  async function wasGivenGuestWords(
    inside: Db | Tx,
    { guest_words, brand_id, task_id, build_id }: Marked,
  ): Promise<boolean> {
    if (guest_words) return true;
    if (!(await boards.holdsGuestWords(inside, brand_id, task_id))) return false;
    await coderTokenStore(inside, brand_id).markGuestWords(build_id);
    return true;
  }

  return {
    /** Returns the same token when the start is repeated. */
    async issueToken(tx: Tx, build: BuildRow): Promise<{ url: string; token: string }> {
      const store = coderTokenStore(tx, build.brand_id);
      const url = `${baseUrl.replace(/\/$/, '')}/mcp`;
      const known = await store.find(build.build_id);
      if (known) return { url, token: secrets.open(known.sealed, placeOf(build.build_id)) };
      const token = newToken(BUILD_TOKEN_PREFIX);
      const sealed = secrets.seal(token, placeOf(build.build_id));
      // A review leaves nothing in the memory of an agent.
      const agent_id = build.kind === 'review' ? null : await findAgent(tx, build);
      await store.insert(build.build_id, { token_hash: sha256Hex(token), sealed, agent_id }, clock.now());
      return { url, token };
    },

    endToken: (tx: Tx, build: BuildRow): Promise<void> =>
      coderTokenStore(tx, build.brand_id).remove(build.build_id),

    /** Not cached, so that a token stops working as soon as its build ends or its person leaves. */
    async authenticate(token: string): Promise<BuildCaller | undefined> {
      if (!isWellFormedToken(BUILD_TOKEN_PREFIX, token)) return undefined;
      const holder = await findTokenHolder(db, sha256Hex(token), clock.now());
      if (!holder || holder.created_by === null) return undefined;
      const person = await identity.findMember(holder.brand_id, holder.created_by);
      if (!person) return undefined;
      await stallStore(db).noteProgress(holder.build_id, clock.now());
      const { build_id, task_id, project_id, agent_id, agent_name } = holder;
      return {
        ...person,
        kind: 'build',
        agent: agent_id === null ? null : { agentId: agent_id, name: agent_name ?? agent_id },
        scopes: CODER_SCOPES.filter((scope) => person.scopeCeiling.includes(scope)),
        expiresAt: null,
        own: { build_id, task_id, project_id, agent_id },
        guestWords: await wasGivenGuestWords(db, holder),
      };
    },

    /** The person who requested a build, or the agent that did so on their behalf. */
    async findAsker(build: BuildRow): Promise<BuildCaller | undefined> {
      const { brand_id, build_id, task_id, project_id, created_by, creator, guest_words } = build;
      const person = created_by === null ? undefined : await identity.findMember(brand_id, created_by);
      if (!person) return undefined;
      const agentId = creator?.agent_id ?? null;
      return {
        ...person,
        kind: 'build',
        agent: agentId === null ? null : { agentId, name: creator?.agent ?? agentId },
        scopes: [],
        expiresAt: null,
        own: { build_id, task_id, project_id, agent_id: agentId },
        guestWords: guest_words,
      };
    },

    async noteProgress(caller: BuildCaller, percent: number, note: string | undefined): Promise<void> {
      const taskId = caller.own.task_id!;
      const now = clock.now();
      await coderTokenStore(db, caller.brandId).hear(caller.own.build_id!, now);
      if (!(await reviewerStore(db, caller.brandId).isReview(caller.own.build_id!)))
        await boards.noteProgress(db, caller.brandId, [{ card: taskId, percent }], now);
      if (note?.trim()) await boards.addComment(caller, taskId, note);
    },

    async confirm(caller: BuildCaller, review: Verdict | undefined): Promise<void> {
      const buildId = caller.own.build_id!;
      const reviews = reviewerStore(db, caller.brandId);
      if (review) await reviews.saveVerdict(buildId, review);
      else if (await reviews.isReview(buildId)) throw verdictRequired();
      await coderTokenStore(db, caller.brandId).confirm(buildId);
    },

    async handOver(tx: Tx, build: BuildRow, conversation: ConversationLine[]): Promise<void> {
      const agentId = await findAgent(tx, build);
      if (agentId === null || conversation.length === 0) return;
      const messages = conversation.map(({ role, content, at }) => ({ role, content, at }));
      const fromGuest = await wasGivenGuestWords(tx, build);
      await memory.receiveFromBuild(tx, build.brand_id, {
        agentId,
        buildId: build.build_id,
        messages,
        fromGuest,
      });
    },
  };
}
