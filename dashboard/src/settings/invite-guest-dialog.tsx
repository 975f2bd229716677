import { useState } from 'react';
import { listBoards } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { type GuestLevel, inviteToBoard, inviteToSpace, listSpaces } from '../api/workspace.js';
import { SelectField } from '../ui/field.js';
import { InvitationForm } from './invitation-form.js';

const LEVELS: [GuestLevel, string][] = [
  ['viewer', 'Viewer: reads'],
  ['commenter', 'Commenter: also comments'],
  ['editor', 'Editor: also creates and edits cards'],
];

export function InviteGuestDialog({ onClose }: { onClose(): void }) {
  const boards = useResource('boards', listBoards);
  const spaces = useResource('docs-spaces', listSpaces);
  const [place, setPlace] = useState('');
  const [level, setLevel] = useState<GuestLevel>('commenter');
  const invite = (address: string) => {
    const [kind, id = ''] = place.split(':');
    return kind === 'board' ? inviteToBoard(id, address, level) : inviteToSpace(id, address, level);
  };
  return (
    <InvitationForm title="Invite a guest" invite={invite} onClose={onClose}>
      <SelectField label="To" required value={place} onChange={(event) => setPlace(event.target.value)}>
        <option value="">Choose a board or docs space</option>
        {boards.data?.boards.map((board) => (
          <option key={board.board_id} value={`board:${board.board_id}`}>
            Board: {board.name}
          </option>
        ))}
        {spaces.data?.spaces.map((space) => (
          <option key={space.space_id} value={`space:${space.space_id}`}>
            Docs: {space.name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="May"
        field="role"
        value={level}
        onChange={(event) => setLevel(event.target.value as GuestLevel)}
      >
        {LEVELS.map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </SelectField>
    </InvitationForm>
  );
}
