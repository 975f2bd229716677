import { useState } from 'react';
import { type Board, deleteCard, type FullCard, readCard } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Confirm, Dialog } from '../ui/dialog.js';
import { Badge, Facts, plainWords, sentence, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { TrashIcon } from '../ui/icons.js';
import { useToast } from '../ui/toast.js';
import { CardComments } from './card-comments.js';
import { CardForm } from './card-form.js';
import type { BoardHandle } from './use-board.js';

interface DrawerProps {
  cardId: string;
  board: Board;
  handle: BoardHandle;
  onClose(): void;
}

export function CardDrawer({ cardId, board, handle, onClose }: DrawerProps) {
  const card = useResource(`card:${cardId}`, (signal) => readCard(cardId, signal));
  const [deleting, setDeleting] = useState(false);
  const toast = useToast();
  return (
    <Dialog shape="drawer" title={<span className="mono">{card.data?.ref ?? 'Card'}</span>} onClose={onClose}>
      <Loaded of={card} rows={8}>
        {(data) => (
          <div className="stack">
            <CardForm card={data} board={board} handle={handle} />
            <CardFacts card={data} />
            {data.result && (
              <section>
                <h3>Result</h3>
                <div className="prose">{data.result}</div>
              </section>
            )}
            <CardComments cardId={cardId} />
            <div>
              <Button tone="quiet" small icon={<TrashIcon size={15} />} onClick={() => setDeleting(true)}>
                Delete card
              </Button>
            </div>
          </div>
        )}
      </Loaded>
      {deleting && (
        <Confirm
          title="Delete this card?"
          submit="Delete card"
          onClose={() => setDeleting(false)}
          perform={async () => {
            await deleteCard(cardId);
            handle.change((all) => all.filter(({ id }) => id !== cardId));
            toast({ text: `${card.data?.ref ?? 'The card'} is deleted` });
            onClose();
          }}
        >
          <p>Its activity stays in the feed, and its number is never used again.</p>
        </Confirm>
      )}
    </Dialog>
  );
}

function CardFacts({ card }: { card: FullCard }) {
  const rows: [string, React.ReactNode][] = [
    ['Type', sentence(card.task_type)],
    ['Priority', sentence(card.priority)],
    ['Reporter', card.reporter?.name],
    ['Agent', card.assignee_agent_id && <span className="mono">{card.assignee_agent_id}</span>],
    ['Labels', card.labels.length > 0 && card.labels.map((label) => <Badge key={label}>{label}</Badge>)],
    ['Branch', card.branch && <span className="mono">{card.branch}</span>],
    ['Pull request', card.pr_number !== null && <PullRequest card={card} />],
    ['Review', card.review_state && plainWords(card.review_state)],
    ['Deployed', card.deploy_url && <ForeignLink href={card.deploy_url}>{card.deploy_url}</ForeignLink>],
    ['Progress', card.progress_percent !== null && `${card.progress_percent}%`],
    ['Attempts', card.attempt > 0 && `${card.attempt} of ${card.max_attempts}`],
    ['Cost', card.cost_usd > 0 && `$${card.cost_usd.toFixed(2)}`],
    ['Checklist', card.checklist_total > 0 && `${card.checklist_done} of ${card.checklist_total}`],
    ['Due', card.due_at && <Time at={card.due_at} exact />],
    ['Made', <Time key="made" at={card.created_at} />],
    ['Changed', <Time key="changed" at={card.updated_at} />],
    ['Error', card.error_message && <span className="bad">{card.error_message}</span>],
  ];
  return <Facts items={rows.filter(([, value]) => Boolean(value))} />;
}

function PullRequest({ card }: { card: FullCard }) {
  const text = `#${card.pr_number} ${card.pr_state ?? ''}`;
  return card.pr_url ? <ForeignLink href={card.pr_url}>{text}</ForeignLink> : <span>{text}</span>;
}

/** Addresses come from people: anything but http is shown as text. */
function ForeignLink({ href, children }: { href: string; children: string }) {
  if (!/^https?:\/\//i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
