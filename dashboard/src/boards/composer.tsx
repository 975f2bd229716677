import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useAction } from '../api/action.js';
import {
  type Board,
  createCard,
  deleteCard,
  type FullCard,
  listBoards,
  type NewCard,
  type TileCard,
} from '../api/boards.js';
import { startBuild } from '../api/builds.js';
import { putResource, refresh, useResource } from '../api/resource.js';
import { addressOfCard } from '../api/work.js';
import { buildAddress } from '../builds/build-words.js';
import { useReadiness } from '../builds/use-obstacles.js';
import {
  announceCard,
  type ComposerDefaults,
  closeComposer,
  openBuildDialog,
  takeTitleAhead,
} from '../shell/composer-state.js';
import { usePlace } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Dialog, FormDialog } from '../ui/dialog.js';
import { formatDay } from '../ui/display.js';
import { useDraft } from '../ui/draft.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Checkbox, TextField } from '../ui/field.js';
import { type Toast, useToast } from '../ui/toast.js';
import { rightsOf } from './board-rights.js';
import { cardsKey, putCard } from './card-state.js';
import { type CardDraft, Choices, LabelsField } from './composer-fields.js';
import { endOfDay, readDay } from './due-words.js';
import { MarkdownField } from './markdown-field.js';
import { describe } from './use-board.js';
import { useDirectory } from './use-directory.js';

const NOTHING: CardDraft = {
  title: '',
  boardId: '',
  columnId: '',
  projectId: '',
  assignee: '',
  agentId: '',
  labels: [],
  priority: 'normal',
  taskType: 'coding',
  due: '',
  instructions: '',
};

/** Creates a card from any page. The draft survives closing the dialog and reloading the page. */
export default function Composer({ defaults }: { defaults: ComposerDefaults }) {
  const boards = useResource('boards', listBoards, { freshMs: 30_000 });
  const open = useMemo(() => boards.data?.boards.filter((board) => rightsOf(board).edit), [boards.data]);
  if (open && open.length > 0) return <ComposerForm boards={open} defaults={defaults} />;
  return (
    <Dialog title="New card" guard="none" onClose={closeComposer}>
      <Loaded of={boards}>
        {() => (
          <Empty title="No board to add it to">Create a board first, or ask for edit access to one.</Empty>
        )}
      </Loaded>
    </Dialog>
  );
}

function ComposerForm({ boards, defaults }: { boards: Board[]; defaults: ComposerDefaults }) {
  const draft = useDraft<CardDraft>('new-card', NOTHING);
  const last = useLastBoard();
  const here = usePlace().parts;
  const toast = useToast();
  const [another, setAnother] = useState(false);
  const value = draft.value;
  const set = (changes: Partial<CardDraft>) => draft.set({ ...value, ...changes });
  const titleField = useRef<HTMLDivElement>(null);

  // The requested or open board takes precedence over the draft's. A layout effect inserts the text typed ahead before
  // the user can type into the field.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each request
  useLayoutEffect(() => {
    const boardId = defaults.boardId ?? (here[1] === 'boards' ? here[2] : undefined);
    const title = value.title + takeTitleAhead();
    if (boardId && boards.some(({ board_id }) => board_id === boardId))
      set({ title, boardId, columnId: defaults.columnId ?? '' });
    else if (title !== value.title) set({ title });
  }, [defaults]);

  const board =
    boards.find(({ board_id }) => board_id === value.boardId) ??
    boards.find(({ board_id }) => board_id === last.boardId) ??
    boards[0]!;
  const rights = rightsOf(board);
  const directory = useDirectory(undefined, board.board_id);
  const day = readDay(value.due);
  const faultyDue = value.due.trim() !== '' && !day;

  const make = async (): Promise<FullCard> => {
    const card = await createCard(board.board_id, newCardOf(value, board, rights.direct));
    last.remember(board.board_id);
    putResource<TileCard[]>(cardsKey(board.board_id), (all) => all && putCard(all, card));
    refresh('work:');
    draft.set({ ...value, title: '', instructions: '', due: '', labels: [] });
    if (another) titleField.current?.querySelector('input')?.focus();
    else {
      draft.clear();
      closeComposer();
    }
    announceCard(card.id);
    return card;
  };
  const notify = (card: FullCard, more: Partial<Toast>) =>
    toast({
      text: `${card.ref} is on ${board.name}`,
      link: { to: addressOfCard({ ...card, board_id: board.board_id }), label: 'Open' },
      ...more,
    });
  const takeBack = async ({ id, ref }: FullCard) => {
    try {
      await deleteCard(id);
      putResource<TileCard[]>(cardsKey(board.board_id), (all) => all?.filter((each) => each.id !== id));
      refresh('work:');
      toast({ text: `${ref} is gone again` });
    } catch (error) {
      toast({ text: `Not undone: ${describe(error)}`, tone: 'error' });
    }
  };
  const action = useAction(async (build: boolean) => {
    const card = await make();
    if (build) return startOrExplain(card);
    const offer = value.agentId &&
      rights.direct && { label: 'Build now', perform: () => openBuildDialog(card.id) };
    notify(card, {
      ...(rights.direct && { action: { label: 'Undo', perform: () => void takeBack(card) } }),
      ...(offer && { offer }),
    });
  });
  /** The card is kept even if its build cannot start. */
  const startOrExplain = async (card: FullCard) => {
    try {
      const build = await startBuild(card.id, {});
      refresh('builds:');
      notify(card, {
        text: `${card.ref} is on ${board.name}, and its build is queued`,
        link: { to: buildAddress(build.build_id), label: 'Open the build' },
      });
    } catch (error) {
      notify(card, { text: `${card.ref} is made, but not built: ${describe(error)}`, tone: 'error' });
    }
  };
  const ready = value.title.trim() !== '' && !faultyDue;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.defaultPrevented || !ready)
      return;
    event.preventDefault();
    void action.run(false);
  };

  return (
    <FormDialog
      title="New card"
      shape="wide"
      submit="Create card"
      dirty={false}
      action={action}
      disabled={!ready}
      onSubmit={() => void action.run(false)}
      onClose={closeComposer}
      beside={
        rights.direct && (
          <BuildButton
            projectId={value.projectId}
            busy={action.busy}
            disabled={!ready}
            onBuild={() => void action.run(true)}
          />
        )
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are of the fields inside */}
      <div className="stack composer" onKeyDown={onKeyDown}>
        <div ref={titleField}>
          <TextField
            label="Title"
            field="title"
            required
            maxLength={500}
            value={value.title}
            onChange={(event) => set({ title: event.target.value })}
          />
        </div>
        <Choices
          board={board}
          boards={boards}
          value={value}
          set={set}
          direct={rights.direct}
          directory={directory}
        />
        <div className="triple">
          <TextField
            label="Due"
            field="due_at"
            placeholder="tomorrow, fri, 12.3."
            autoComplete="off"
            hint={day ? formatDay(endOfDay(day)) : undefined}
            error={
              faultyDue ? 'Due is not a day: say tomorrow, fri, in 3 days, 12.3. or 2027-03-12' : undefined
            }
            value={value.due}
            onChange={(event) => set({ due: event.target.value })}
          />
          <LabelsField board={board} value={value.labels} onChange={(labels) => set({ labels })} />
        </div>
        <MarkdownField
          label="Instructions"
          field="instructions"
          rows={6}
          value={value.instructions}
          names={directory.people.map(({ name }) => name)}
          onChange={(instructions) => set({ instructions })}
        />
        <div className="composer-foot">
          <Checkbox label="Create another" checked={another} onChange={setAnother} />
          {draft.dirty && (value.title !== '' || value.instructions !== '') && (
            <Button small tone="quiet" onClick={draft.clear}>
              Discard the draft
            </Button>
          )}
        </div>
        {rights.direct && <Obstacle projectId={value.projectId} />}
      </div>
    </FormDialog>
  );
}

interface BuildButtonProps {
  projectId: string;
  busy: boolean;
  disabled: boolean;
  onBuild(): void;
}

function BuildButton({ projectId, busy, disabled, onBuild }: BuildButtonProps) {
  const { loading, obstacle } = useReadiness({ project_id: projectId || null }, []);
  return (
    <Button
      busy={busy}
      disabled={disabled || loading || obstacle !== undefined}
      title={obstacle?.text}
      onClick={onBuild}
    >
      Create and build
    </Button>
  );
}

function Obstacle({ projectId }: { projectId: string }) {
  const { obstacle } = useReadiness({ project_id: projectId || null }, []);
  return obstacle ? <p className="muted small">Not to be built yet: {obstacle.text}</p> : null;
}

/** Omits fields that control agents unless the user may direct them. */
function newCardOf(value: CardDraft, board: Board, direct: boolean): NewCard {
  const day = readDay(value.due);
  // The column may have been deleted since the draft was saved.
  const column = board.columns.find(({ id }) => id === value.columnId) ?? board.columns[0];
  return {
    title: value.title.trim(),
    task_type: value.taskType,
    priority: value.priority,
    ...(column && { column_id: column.id }),
    ...(value.assignee && { assignee: Number(value.assignee) }),
    ...(value.labels.length > 0 && { labels: value.labels }),
    ...(day && { due_at: endOfDay(day) }),
    ...(value.instructions && { instructions: value.instructions }),
    ...(direct && value.projectId && { project_id: value.projectId }),
    ...(direct && value.agentId && { assignee_agent_id: value.agentId }),
  };
}

/** The board of the user's last new card in this browser. */
function useLastBoard(): { boardId: string | null; remember(boardId: string): void } {
  const { user, brand } = useSession();
  const key = `guildhall:last-board:${brand.brand_id}:${user.user_id}`;
  const [boardId] = useState(() => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  });
  return {
    boardId,
    remember: (id) => {
      try {
        localStorage.setItem(key, id);
      } catch {
        // Without localStorage the form preselects the first board.
      }
    },
  };
}
