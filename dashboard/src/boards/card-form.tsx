import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { type Board, type FullCard, readCard, STATUSES } from '../api/boards.js';
import { putResource, useResource } from '../api/resource.js';
import { listMembers } from '../api/workspace.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { sentence } from '../ui/display.js';
import { ErrorNote, Note } from '../ui/feedback.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { putCard } from './card-state.js';
import type { BoardHandle } from './use-board.js';

interface Draft {
  title: string;
  status: string;
  assignee: string;
  instructions: string;
}

const draftOf = (card: FullCard): Draft => ({
  title: card.title,
  status: card.status,
  assignee: card.assignee ? String(card.assignee.user_id) : '',
  instructions: card.instructions ?? '',
});

/** Sends only what differs from the card the person saw, and says which version that was. */
export function CardForm({ card, board, handle }: { card: FullCard; board: Board; handle: BoardHandle }) {
  const [edits, setEdits] = useState<Partial<Draft>>({});
  const draft = { ...draftOf(card), ...edits };
  const body = bodyOf(draft, draftOf(card));
  const changed = Object.keys(body).length > 0;

  const showFresh = async () => {
    const fresh = await readCard(card.id);
    putResource<FullCard>(`card:${card.id}`, () => fresh);
    handle.change((all) => putCard(all, fresh));
  };
  const save = useAction(async () => {
    await handle.patch(card, body, card.version);
    await showFresh();
    setEdits({});
  });
  const adopt = useAction(async () => {
    await showFresh();
    save.clear();
  });
  const set = (field: keyof Draft) => (event: { target: { value: string } }) =>
    setEdits({ ...edits, [field]: event.target.value });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (changed) void save.run();
  }

  return (
    <form className="stack" onSubmit={submit}>
      <TextField label="Title" required maxLength={500} value={draft.title} onChange={set('title')} />
      <div className="pair">
        <SelectField
          label="Status"
          hint={`Column: ${card.column.name}`}
          value={draft.status}
          onChange={set('status')}
        >
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {sentence(status)}
              {columnNote(board, status)}
            </option>
          ))}
        </SelectField>
        <AssigneeField card={card} value={draft.assignee} onChange={set('assignee')} />
      </div>
      <TextArea
        label="Instructions"
        rows={Math.min(16, Math.max(5, draft.instructions.split('\n').length + 1))}
        value={draft.instructions}
        onChange={set('instructions')}
      />
      {save.fault?.status === 412 ? (
        <Note tone="warn">
          <p>{save.fault.message}. Nothing of yours was saved.</p>
          <Button small busy={adopt.busy} onClick={() => void adopt.run()}>
            Show the present card and keep my edits
          </Button>
        </Note>
      ) : (
        save.fault && <ErrorNote fault={save.fault} />
      )}
      {changed && (
        <div className="form-bar">
          <Button type="submit" tone="primary" busy={save.busy}>
            Save changes
          </Button>
          <Button tone="quiet" onClick={() => setEdits({})}>
            Discard
          </Button>
        </div>
      )}
    </form>
  );
}

function bodyOf(draft: Draft, before: Draft): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  if (draft.title !== before.title) body['title'] = draft.title;
  if (draft.status !== before.status) body['status'] = draft.status;
  if (draft.assignee !== before.assignee) body['assignee'] = draft.assignee ? Number(draft.assignee) : null;
  if (draft.instructions !== before.instructions) body['instructions'] = draft.instructions || null;
  return body;
}

function columnNote(board: Board, status: string): string {
  const column = board.columns.find((each) => each.status === status);
  return column && column.name.toLowerCase() !== sentence(status).toLowerCase() ? ` (${column.name})` : '';
}

interface AssigneeProps {
  card: FullCard;
  value: string;
  onChange(event: { target: { value: string } }): void;
}

function AssigneeField({ card, value, onChange }: AssigneeProps) {
  const { brand, role, user } = useSession();
  const members = useResource(role === 'guest' ? null : `members:${brand.brand_id}`, (signal) =>
    listMembers(brand.brand_id, signal),
  );
  const people = new Map((members.data?.members ?? []).map((member) => [member.user_id, member.full_name]));
  if (role === 'guest') people.set(user.user_id, user.full_name);
  if (card.assignee) people.set(card.assignee.user_id, card.assignee.name);
  return (
    <SelectField label="Assignee" value={value} onChange={onChange}>
      <option value="">Nobody</option>
      {[...people].map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
