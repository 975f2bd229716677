import type { BuildCaller, Scope } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { isWellFormedToken, newToken, sha256Hex } from '../../../kernel/secrets.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { BUILD_TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import type { BoardService } from '../../boards/index.js';
import type { IdentityService } from '../../identity/index.js';
import type { MemoryService } from '../../memory/index.js';
import { verdictRequired } from '../builds.errors.js';
import { stallStore } from '../lifecycle/due.store.js';
import type { SaidLine } from '../record/builds.parts.js';
import type { BuildRow } from '../record/builds.store.js';
import { reviewerStore } from '../review/reviewer.store.js';
import type { Verdict } from '../reviewer.schemas.js';
import { coderTokenStore, findTokenHolder } from './tokens.store.js';

interface CoderDeps {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  baseUrl: string;
  identity: Pick<IdentityService, 'findMember'>;
  boards: Pick<BoardService, 'findCardToBuild' | 'noteProgress' | 'addComment' | 'holdsGuestWords'>;
  memory: Pick<MemoryService, 'receiveFromBuild'>;
}

/** As far as the workspace allows them to tokens at all. */
const CODER_SCOPES: readonly Scope[] = ['memory:read', 'memory:write', 'code:read'];

type Marked = Pick<BuildRow, 'guest_words' | 'brand_id' | 'task_id' | 'build_id'>;

export type CoderService = ReturnType<typeof createCoderService>;

/** What a coder may do while it works, and what it leaves to the agent it works as. */
export function createCoderService({ db, clock, secrets, baseUrl, identity, boards, memory }: CoderDeps) {
  const placeOf = (buildId: string) => `build_tokens:${buildId}`;

  async function findAgent(tx: Tx, { brand_id, task_id }: BuildRow): Promise<string | null> {
    return (await boards.findCardToBuild(brand_id, task_id, tx))?.card.assignee_agent_id ?? null;
  }

  /**
   * By its brief, or by what a guest has written on the card since: its coder reads that too. The build keeps the mark,
   * as the coder does not forget what the guest deletes afterwards.
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
    /** In the transaction of the start; the same token when the start is repeated. */
    async issueToken(tx: Tx, build: BuildRow): Promise<{ url: string; token: string }> {
      const store = coderTokenStore(tx, build.brand_id);
      const url = `${baseUrl.replace(/\/$/, '')}/mcp`;
      const known = await store.find(build.build_id);
      if (known) return { url, token: secrets.open(known.sealed, placeOf(build.build_id)) };
      const token = newToken(BUILD_TOKEN_PREFIX);
      const sealed = secrets.seal(token, placeOf(build.build_id));
      // A reviewer teaches nobody.
      const agent_id = build.kind === 'review' ? null : await findAgent(tx, build);
      await store.insert(build.build_id, { token_hash: sha256Hex(token), sealed, agent_id }, clock.now());
      return { url, token };
    },

    endToken: (tx: Tx, build: BuildRow): Promise<void> =>
      coderTokenStore(tx, build.brand_id).remove(build.build_id),

    /** Nothing is remembered, so a token is dead the moment its build ends or its person leaves. */
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

    /** The person who asked for a build, or the agent that did on their behalf. */
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
        await boards.noteProgress(db, caller.brandId, taskId, percent, now);
      if (note?.trim()) await boards.addComment(caller, taskId, note);
    },

    /** `review`: of a reviewer, what it came to. */
    async confirm(caller: BuildCaller, review: Verdict | undefined): Promise<void> {
      const buildId = caller.own.build_id!;
      const reviews = reviewerStore(db, caller.brandId);
      if (review) await reviews.saveVerdict(buildId, review);
      else if (await reviews.isReview(buildId)) throw verdictRequired();
      await coderTokenStore(db, caller.brandId).confirm(buildId);
    },

    /** What was said, for the agent of the card to learn from; nobody learns where there is none. */
    async handOver(tx: Tx, build: BuildRow, conversation: SaidLine[]): Promise<void> {
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
