import { secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import { ForgeFailed, type PullRequest } from '../adapter/forge.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import type { Answer } from './asking.js';
import type { Following } from './following.js';
import type { ConnectedForge, FindIssueOfCard, ForgeAccess } from './neighbours.js';
import { bodyOf, titleOf } from './pull-request-text.js';
import { isOpen, type PullRequestRow, pullRequestStore } from './pull-requests.store.js';
import { keepPullRequest } from './told.js';
import { watched } from './turns.js';
import { type WishRow, wishStore } from './wishes.store.js';

interface OpeningDeps extends Pick<ForgeOptions, 'db' | 'clock' | 'boards' | 'baseUrl' | 'builds' | 'jobs'> {
  access: Pick<ForgeAccess, 'find'>;
  findIssueOfCard: FindIssueOfCard;
  follow: Following;
}

/** A call takes at most ten seconds: who has less of the lease left begins none that could be made twice. */
const LEAST_LEFT_SECONDS = 20;

/** Another try meets the same, until somebody changes something. */
export class NotOpened extends Error {
  override name = 'NotOpened';
}

export interface Opened {
  connected: ConnectedForge;
  number: number;
}

interface Words {
  title: string;
  body: string;
}

/** From a wish to its pull request. Whatever happens on the way, doing it again ends with one open for the card. */
export function createOpening(deps: OpeningDeps) {
  const { db, clock, boards, baseUrl, builds, jobs, access, findIssueOfCard, follow } = deps;

  async function write(wish: WishRow): Promise<Words & { base: string }> {
    const { brand_id: brandId, build_id: buildId, card_id: cardId } = wish;
    const found = await boards.findCardToBuild(brandId, cardId);
    if (!found) throw new NotOpened('The card is gone');
    const build = await builds().getRow(brandId, buildId);
    const { ref, title } = found.card;
    const brief = await wishStore(db, brandId).findBrief(buildId);
    const issue = await findIssueOfCard(db, brandId, cardId);
    const facts = { ref, title, baseUrl, build, brief, issue };
    return { title: titleOf(facts), body: bodyOf(facts), base: build.base_branch };
  }

  /** The card's open pull request, as far as it can be taken over; one that cannot is closed, or has ended by itself. */
  async function takeUp(connected: ConnectedForge, wish: WishRow): Promise<PullRequest | undefined> {
    const { forge } = connected;
    const store = pullRequestStore(db, wish.brand_id);
    const own = await store.findOpenOfCard(wish.card_id);
    if (!own) return undefined;
    const elsewhere = own.project_id !== wish.project_id;
    const its = elsewhere ? await access.find(wish.brand_id, own.project_id) : connected;
    // Where its project has no host any more, nobody can say anything of it.
    if (!its) return void (await letGo(own, wish));
    const told = await its.forge.readPullRequest(own.number);
    if (!told) {
      // Where the repository itself is not to be seen any more, this is refused.
      await its.forge.listOpenPullRequests();
      return void (await letGo(own, wish));
    }
    if (!elsewhere && isBrought(told, wish)) return told;
    if (!isOpen(told)) return void (await note(own, told));
    if (!elsewhere && told.head.branch === wish.branch && !told.foreign) return told;
    await store.supersede(own.project_id, own.number, wish.build_id);
    const closed = await (elsewhere ? its.forge : forge).changePullRequest(own.number, { close: true });
    if (isOpen(closed)) throw new ForgeFailed('unreachable', `The host did not close #${own.number}`);
    await note(own, closed);
    return undefined;
  }

  const note = (own: Pick<PullRequestRow, 'brand_id' | 'project_id' | 'number'>, told: PullRequest) =>
    inTransaction(db, (tx) => follow(tx, own, bare(told, clock.now())));

  async function letGo(own: PullRequestRow, { build_id }: WishRow): Promise<void> {
    await inTransaction(db, async (tx) => {
      const store = pullRequestStore(tx, own.brand_id);
      const row = await store.lock(own.project_id, own.number);
      if (!row || !isOpen(row)) return;
      await store.supersede(own.project_id, own.number, build_id);
      await store.save(own.project_id, own.number, { ...row, state: 'closed', look_at: null });
    });
  }

  /** One that is there already is ours: an earlier try was not heard to its end. */
  async function findOpened({ forge }: ConnectedForge, { branch }: WishRow, base: string) {
    const there = (await forge.listOpenPullRequests({ branch })).filter(
      ({ head, foreign, state }) => head.branch === branch && !foreign && isOpen({ state }),
    );
    return there.find((each) => each.base.branch === base) ?? there[0];
  }

  async function openNew(connected: ConnectedForge, wish: WishRow, words: Words & { base: string }) {
    const { title, body, base } = words;
    const { branch } = wish;
    if (secondsFrom(clock.now(), LEAST_LEFT_SECONDS) > wish.leased_until)
      throw new ForgeFailed('unreachable', 'The host took too long to answer');
    try {
      return await connected.forge.openPullRequest({ title, body, branch, base });
    } catch (error) {
      if (!(error instanceof ForgeFailed) || error.fault !== 'invalid') throw error;
      // Hosts refuse a second one for the same branch: then the first was not in their list yet.
      const there = await findOpened(connected, wish, base);
      if (there) return connected.forge.changePullRequest(there.number, { title, body });
      // Or there is nothing left to bring: an earlier try was not heard to its end, and somebody merged what it opened.
      const over = await connected.forge.listOpenPullRequests({ branch, ended: true });
      const brought = over.find((each) => isBrought(each, wish));
      if (!brought) throw error;
      return brought;
    }
  }

  /** The row, the card and the end of the wish, all or nothing. */
  async function keep(wish: WishRow, told: PullRequest): Promise<void> {
    const { brand_id: brandId, project_id, build_id: buildId, card_id, commit_sha: commit } = wish;
    await inTransaction(db, async (tx) => {
      const wishes = wishStore(tx, brandId);
      const standing = await wishes.hold(wish);
      if (standing === 'lost') return;
      const store = pullRequestStore(tx, brandId);
      const now = clock.now();
      const { mergeable: _, merged_at: __, ...facts } = keepPullRequest(told);
      const made = { ...facts, project_id, number: told.number, card_id, build_id: buildId };
      const fresh = await store.insert({ ...made, pushed_sha: commit, card_status: null, created_at: now });
      const row = await store.lock(project_id, told.number);
      if (!row || row.card_id !== card_id)
        throw new NotOpened(`Pull request #${told.number} of this branch is tied to another card`);
      await store.takeOver(project_id, told.number, { buildId, commit });
      await follow(tx, row, bare(told, now), { fresh, always: true });
      if (standing === 'ours') await wishes.remove(wish);
      else {
        await wishes.release(wish);
        await jobs.trigger(tx, OPENING_JOB);
      }
    });
  }

  return async function open(wish: WishRow, getsOn = () => {}): Promise<Opened> {
    const found = await access.find(wish.brand_id, wish.project_id);
    if (!found) throw new NotOpened('The project has no host connected any more');
    const connected = { ...found, forge: watched(found.forge, getsOn) };
    const words = await write(wish);
    const { title, body } = words;
    const there = (await takeUp(connected, wish)) ?? (await findOpened(connected, wish, words.base));
    const changed = there && (await connected.forge.changePullRequest(there.number, { title, body }));
    const isOver = changed && !isOpen(changed) && !isBrought(changed, wish);
    if (isOver) await note({ ...wish, number: changed.number }, changed);
    const told = changed && !isOver ? changed : await openNew(connected, wish, words);
    await keep(wish, told);
    return { connected, number: told.number };
  };
}

/** Opens pull requests for what was pushed. */
export const OPENING_JOB = 'forge-pulls';

/** The very commit was merged meanwhile: what was wished for has come to its end. */
const isBrought = ({ state, head, foreign }: PullRequest, { commit_sha }: WishRow): boolean =>
  state === 'merged' && head.sha === commit_sha && !foreign;

/** What a host says of a pull request while something else is done with it. */
const bare = (pullRequest: PullRequest, askedAt: Date): Answer => ({
  askedAt,
  pullRequest,
  checks: undefined,
  opinions: undefined,
  deployment: undefined,
});
