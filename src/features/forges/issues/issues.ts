import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { FullCard } from '../../boards/index.js';
import { type Forge, ForgeFailed, type ForgeKind, type Issue, type IssueQuery } from '../adapter/forge.js';
import { forgeStore } from '../connection/connection.store.js';
import type { ConnectedForge } from '../connection/forge-access.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { type IssuePlace, issueStore } from './issues.store.js';

/** Hosts have their own clocks, and some round times to whole seconds. */
const OVERLAP_SECONDS = MINUTE;
/** How far back the second sync looks if the first one found no issue. */
const LOOK_BACK_SECONDS = HOUR;
const MOST_PAGES = 1000;
const MOST_COMMENTED = 100;
/** Longer than a call may take, so a node that has not commented by then has died. */
const COMMENTING_SECONDS = 2 * MINUTE;

type IssueSyncOptions = Pick<ForgeOptions, 'db' | 'clock' | 'boards' | 'projects' | 'baseUrl'>;

/** Creates cards for issues with the label and comments with the card's address. Idempotent. */
export function createIssueSync(options: IssueSyncOptions) {
  const { db, clock, projects } = options;
  const cards = createIssueCards(options);
  const base = options.baseUrl.replace(/\/+$/, '');

  async function syncPage(source: IssueSource, issues: readonly Issue[]): Promise<void> {
    const known = await issueStore(db, source).listKnown(issues.map(({ number }) => number));
    for (const issue of issues) {
      if (known.has(issue.number)) await cards.sync(source, issue);
      else if (cards.isWanted(source, issue)) await cards.add(source, issue);
    }
  }

  /** Later syncs read all changed issues, since an issue may have lost the label. */
  async function syncChangedIssues(
    forge: Forge,
    source: IssueSource,
    seenTo: Date | null,
    connectedAt: Date,
  ): Promise<void> {
    const store = issueStore(db, source);
    const query: IssueQuery = seenTo
      ? { state: 'all', since: secondsFrom(seenTo, -OVERLAP_SECONDS) }
      : { state: 'open', label: source.label };
    let newest = seenTo;
    let page: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const { issues, next, hostTime } = await forge.listIssues({
        ...query,
        ...(page !== undefined && { page }),
      });
      // Issues have the host's times, so its clock decides how far back to look.
      newest ??= secondsFrom(hostTime ?? clock.now(), -LOOK_BACK_SECONDS);
      await syncPage(source, issues);
      for (const { updatedAt } of issues) if (updatedAt > newest) newest = updatedAt;
      // Pages are ordered by change, so pages that were read need not be read again.
      if (seenTo || next === undefined) await store.saveSyncedUntil(newest, connectedAt);
      if (next === undefined) return;
      page = next;
    }
  }

  async function commentOnIssues(forge: Forge, source: IssueSource): Promise<void> {
    const store = issueStore(db, source);
    const now = clock.now();
    const uncommented = await store.claimUncommented(
      now,
      secondsFrom(now, COMMENTING_SECONDS),
      MOST_COMMENTED,
    );
    const left = new Set(uncommented.map(({ number }) => number));
    let failure: unknown;
    for (const { number, ref } of uncommented) {
      try {
        await forge.commentOnIssue(number, `This issue is card ${ref}: ${base}/dashboard/cards/${ref}`);
        await store.noteCommented(number, clock.now());
        left.delete(number);
      } catch (error) {
        const fault = error instanceof ForgeFailed ? error.fault : undefined;
        if (fault === 'missing') await store.noteCommented(number, clock.now());
        else failure = error;
        if (fault !== 'missing' && fault !== 'refused' && fault !== 'invalid') break;
      }
    }
    if (left.size > 0) await store.releaseComments([...left]);
    if (failure) throw failure;
  }

  return async ({ forge, brandId, projectId }: ConnectedForge): Promise<void> => {
    const row = await forgeStore(db, brandId).find(projectId);
    if (!row || row.issues_label === null) return;
    const { kind, repository, issues_label: label } = row;
    const name = (await projects.findProject(brandId, projectId))?.name ?? repository;
    const source: IssueSource = { brandId, projectId, kind, repository, label, project: name };
    await syncChangedIssues(forge, source, row.issues_seen_to, row.connected_at);
    await commentOnIssues(forge, source);
  };
}

export interface IssueSource extends IssuePlace {
  kind: ForgeKind;
  label: string;
  project: string;
}

type IssueCardOptions = Pick<ForgeOptions, 'db' | 'clock' | 'boards'>;

export function createIssueCards({ db, clock, boards }: IssueCardOptions) {
  const isWanted = ({ label }: IssueSource, issue: Issue) => issue.open && hasLabel(issue, label);

  /** Uses the configured board, else one with the name of the project. */
  async function addCard(
    tx: Tx,
    source: IssueSource,
    issue: Issue,
    rule: { boardId: string | null; connectedBy: number | null },
  ) {
    const { brandId, projectId, kind, repository } = source;
    const input = {
      title: titleOf(issue),
      instructions: instructionsOf(issue, repository),
      labels: labelsOf(issue),
      project_id: projectId,
      source: kind,
      external_url: addressOf(issue),
    };
    const addTo = (boardId: string) =>
      boards.addArrival(tx, brandId, { boardId, reporterId: rule.connectedBy, input });
    const made = rule.boardId && (await addTo(rule.boardId));
    if (made) return made;
    return addTo(await boards.findOrMakeBoard(tx, brandId, source.project));
  }

  return {
    isWanted,

    /** Creates at most one card: the issue's row is inserted first and stays when the card is deleted. */
    async add(source: IssueSource, issue: Issue): Promise<void> {
      await inTransaction(db, async (tx) => {
        const store = issueStore(tx, source);
        const rule = await store.lockRule();
        if (!rule) return;
        const { number, url } = issue;
        if (!(await store.add({ number, url: addressOf({ url }) ?? '', title: titleOf(issue) }, clock.now())))
          return;
        const card = await addCard(tx, source, issue, rule);
        if (card) await store.setCard(number, card.id);
      });
    },

    /** Renames and archives the card like its issue, until the card is started. */
    async sync(source: IssueSource, issue: Issue): Promise<void> {
      await inTransaction(db, async (tx) => {
        const store = issueStore(tx, source);
        const row = (await store.lockRule()) && (await store.lock(issue.number));
        if (!row?.card_id) return;
        const title = titleOf(issue);
        const seen = { title, archivedAt: row.archived_at };
        const isBuilt = await store.hasBuilds(row.card_id);
        await boards.followCard(tx, source.brandId, row.card_id, (card) => {
          if (isBuilt || !isUntouched(card)) return { values: {} };
          const values: Partial<FullCard> = title === row.title ? {} : { title };
          const isGone = !isWanted(source, issue);
          if (isGone && !row.archived_at) {
            seen.archivedAt = clock.now();
            values.archived = true;
          }
          if (!isGone && row.archived_at) {
            seen.archivedAt = null;
            values.archived = false;
          }
          return { values, byGuest: true };
        });
        await store.noteSeen(issue.number, seen);
      });
    },
  };
}

const isUntouched = ({ status, started_at }: FullCard): boolean =>
  status === 'pending' && started_at === null;

const LONGEST_TITLE = 500;
const LARGEST_TEXT = 1_048_576;
const LONGEST_LABEL = 100;
const MOST_LABELS = 100;
const LONGEST_ADDRESS = 2000;

const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed();

export const titleOf = ({ title, number }: Pick<Issue, 'title' | 'number'>): string =>
  clean(title).trim().slice(0, LONGEST_TITLE).toWellFormed() || `Issue #${number}`;

/** Cuts author and text to the size of a card's instructions. */
export function instructionsOf({ number, author, body }: Issue, repository: string): string {
  const text = `Issue #${number} of ${repository}, by ${clean(author).replace(/\s+/g, ' ').trim() || 'nobody known'}:\n\n${clean(body)}`;
  return cutBytes(text, LARGEST_TEXT);
}

export const labelsOf = ({ labels }: Pick<Issue, 'labels'>): string[] =>
  [...new Set(labels.map((label) => clean(label).trim().slice(0, LONGEST_LABEL).toWellFormed()))]
    .filter((label) => label !== '')
    .slice(0, MOST_LABELS);

export const addressOf = ({ url }: Pick<Issue, 'url'>): string | null =>
  /^https?:\/\/\S+$/i.test(url) && url.length <= LONGEST_ADDRESS ? clean(url) : null;

/** Most hosts ignore the case of labels. */
export const hasLabel = ({ labels }: Pick<Issue, 'labels'>, wanted: string): boolean =>
  labels.some((label) => label.trim().toLowerCase() === wanted.trim().toLowerCase());

function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  // `stream` drops an incomplete character at the cut.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
}
