import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { FullCard } from '../../boards/index.js';
import type { ForgeKind, Issue } from '../adapter/forge.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { addressOf, hasLabel, instructionsOf, labelsOf, titleOf } from './issue-text.js';
import { type IssuePlace, issueStore } from './issues.store.js';

/** Which issues of which repository become cards. */
export interface IssueSource extends IssuePlace {
  kind: ForgeKind;
  label: string;
  /** The name of the project. */
  project: string;
}

type IssueCardOptions = Pick<ForgeOptions, 'db' | 'clock' | 'boards'>;

/** Cards of issues. */
export function createIssueCards({ db, clock, boards }: IssueCardOptions) {
  const isWanted = ({ label }: IssueSource, issue: Issue) => issue.open && hasLabel(issue, label);

  /** On the configured board, else on one with the name of the project. */
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

    /** At most once: the issue's row is inserted first and stays when the card is deleted. */
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

    /** Until the card is started, the issue renames and archives it. */
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
