import { useMemo, useRef, useState } from 'react';
import { type Board, deleteCard, type FullCard, readCard } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { CardBuilds } from '../builds/card-builds.js';
import { PullRequestPanel } from '../forges/pull-request-panel.js';
import { type Command, useCommands } from '../shell/commands.js';
import { Button, IconButton } from '../ui/button.js';
import { Confirm, Dialog } from '../ui/dialog.js';
import { useDraft } from '../ui/draft.js';
import { Loaded } from '../ui/feedback.js';
import { ArrowIcon, BackIcon, CopyIcon, TrashIcon } from '../ui/icons.js';
import { Markdown } from '../ui/markdown.js';
import { useToast } from '../ui/toast.js';
import type { Rights } from './board-rights.js';
import { CardActivity } from './card-activity.js';
import { CardAttachments } from './card-attachments.js';
import { CardComments } from './card-comments.js';
import { CardFacts } from './card-facts.js';
import { CardFields } from './card-fields.js';
import { CardText, type TextEdits } from './card-text.js';
import { fileTarget } from './file-transfer.js';
import { startUploads } from './uploads.js';
import type { BoardHandle } from './use-board.js';
import type { Directory } from './use-directory.js';

interface DrawerProps {
  cardId: string;
  board: Board;
  handle: BoardHandle;
  rights: Rights;
  directory: Directory;
  /** Opens the next card in reading order; undefined for the last one. */
  next: (() => void) | undefined;
  previous: (() => void) | undefined;
  onOpen(cardId: string): void;
  onCopyLink(card: Pick<FullCard, 'id' | 'ref'>): void;
  onClose(): void;
  onDeleted(): void;
}

/** Shows a card with live updates from other people; unsent edits are kept in drafts. */
export function CardDrawer(props: DrawerProps) {
  const { cardId, handle, rights, next, previous, onClose, onDeleted } = props;
  const card = useResource(`card:${cardId}`, (signal) => readCard(cardId, signal));
  const text = useDraft<TextEdits>(`card:${cardId}`, {});
  const comment = useDraft(`comment:${cardId}`, '');
  const [files, setFiles] = useState<File[]>([]);
  const [deleting, setDeleting] = useState(false);
  const toast = useToast();
  useDrawerCommands(props, card.data);

  return (
    <Dialog
      shape="drawer"
      title={<span className="mono">{card.data?.ref ?? 'Card'}</span>}
      dirty={text.dirty || comment.value.trim() !== '' || files.length > 0}
      commands
      onClose={() => {
        text.clear();
        comment.clear();
        onClose();
      }}
    >
      <Loaded of={card} rows={8}>
        {(data) => (
          <div
            className="drawer-card"
            {...fileTarget(rights.comment ? (dropped) => startUploads(cardId, dropped) : undefined)}
          >
            <div className="drawer-bar">
              <span className="muted small">
                {props.board.name} · {data.column.name}
              </span>
              <IconButton label="Previous card (k)" disabled={!previous} onClick={previous}>
                <BackIcon size={16} />
              </IconButton>
              <IconButton label="Next card (j)" disabled={!next} onClick={next}>
                <ArrowIcon size={16} />
              </IconButton>
              <IconButton label="Copy link (l)" onClick={() => props.onCopyLink(data)}>
                <CopyIcon size={16} />
              </IconButton>
            </div>
            <CardText card={data} draft={text} handle={handle} rights={rights} directory={props.directory} />
            <CardFields
              card={data}
              board={props.board}
              handle={handle}
              rights={rights}
              directory={props.directory}
              onOpen={props.onOpen}
            />
            {rights.direct && <CardBuilds card={data} />}
            {rights.direct && <PullRequestPanel card={data} mayTie />}
            {data.result && (
              <section aria-label="Result">
                <h3>Result</h3>
                <Markdown text={data.result} />
              </section>
            )}
            <CardFacts card={data} panel={rights.direct} />
            <CardAttachments cardId={cardId} rights={rights} />
            <CardComments
              cardId={cardId}
              rights={rights}
              directory={props.directory}
              draft={comment}
              files={files}
              onFiles={setFiles}
            />
            <CardActivity cardId={cardId} />
            {rights.direct && (
              <div>
                <Button tone="quiet" small icon={<TrashIcon size={15} />} onClick={() => setDeleting(true)}>
                  Delete card
                </Button>
              </div>
            )}
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
            text.clear();
            comment.clear();
            onDeleted();
            handle.change((all) => all.filter(({ id }) => id !== cardId));
            toast({ text: `${card.data?.ref ?? 'The card'} is deleted` });
          }}
        >
          <p>Its activity stays, and its number is never reused.</p>
        </Confirm>
      )}
    </Dialog>
  );
}

function useDrawerCommands(
  { next, previous, onCopyLink, rights }: DrawerProps,
  card: FullCard | undefined,
): void {
  const latest = useRef({ next, previous, onCopyLink, card });
  latest.current = { next, previous, onCopyLink, card };
  const commands = useMemo<Command[]>(() => {
    const group = 'Card';
    const copy = () => latest.current.card && latest.current.onCopyLink(latest.current.card);
    const comment = () => document.querySelector<HTMLElement>('.comment-form textarea')?.focus();
    return [
      { id: 'drawer-next', label: 'Next card', group, keys: 'j', perform: () => latest.current.next?.() },
      {
        id: 'drawer-previous',
        label: 'Previous card',
        group,
        keys: 'k',
        perform: () => latest.current.previous?.(),
      },
      { id: 'drawer-copy-link', label: 'Copy the link to this card', group, keys: 'l', perform: copy },
      ...(rights.edit
        ? [
            {
              id: 'drawer-assign',
              label: 'Assign this card',
              group,
              keys: 'a',
              perform: () => press('assignee'),
            },
            {
              id: 'drawer-labels',
              label: 'Label this card',
              group,
              keys: 't',
              perform: () => press('labels'),
            },
          ]
        : []),
      ...(rights.comment
        ? [
            {
              id: 'drawer-comment',
              label: 'Comment on this card',
              group,
              keys: 'r',
              words: 'reply',
              perform: comment,
            },
          ]
        : []),
    ];
  }, [rights.edit, rights.comment]);
  useCommands(commands);
}

const press = (field: string): void =>
  document.querySelector<HTMLElement>(`[data-field="${field}"] button`)?.click();
