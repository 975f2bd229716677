import { useState } from 'react';
import { useAction } from '../api/action.js';
import {
  listPeople,
  listWorkspaceMembers,
  putMember,
  removeMember,
  type WorkspaceMember,
} from '../api/operator.js';
import { refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Avatar } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { useSettled } from '../ui/settled.js';
import { useToast } from '../ui/toast.js';

export function WorkspaceMembers({ brandId }: { brandId: number }) {
  const members = useResource(`operator:members:${brandId}`, (signal) =>
    listWorkspaceMembers(brandId, signal),
  );
  const [removing, setRemoving] = useState<WorkspaceMember>();
  const toast = useToast();
  const change = useAction(async (member: WorkspaceMember, role: 'admin' | 'member') => {
    try {
      await putMember(brandId, member.user_id, role);
      refresh(`operator:members:${brandId}`);
      toast({
        text: `${member.full_name} is ${role === 'admin' ? 'an admin' : 'a member'} now`,
        action: { label: 'Undo', perform: () => void change.run({ ...member, role }, member.role) },
      });
    } catch (error) {
      toast({ text: (error as Error).message, tone: 'error' });
    }
  });
  return (
    <Section title="Members">
      <AddMember brandId={brandId} present={members.data?.members ?? []} />
      <Loaded of={members} rows={2}>
        {(data) =>
          data.members.length === 0 ? (
            <p className="muted">No members yet. Find a person above and add them.</p>
          ) : (
            <ul className="rows" aria-label="Members">
              {data.members.map((member) => (
                <li key={member.user_id} className="row">
                  <Avatar name={member.full_name} size={28} />
                  <div className="row-main">
                    <strong>{member.full_name}</strong>
                    <span className="muted small">{member.email}</span>
                  </div>
                  <select
                    className="input select operator-role"
                    aria-label={`Role of ${member.full_name}`}
                    value={member.role}
                    onChange={(event) => void change.run(member, event.target.value as 'admin' | 'member')}
                  >
                    <option value="admin">admin</option>
                    <option value="member">member</option>
                  </select>
                  <Button small tone="quiet" onClick={() => setRemoving(member)}>
                    Remove<span className="off-screen"> {member.full_name}</span>
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {removing && (
        <Confirm
          title={`Remove ${removing.full_name}?`}
          submit="Remove"
          onClose={() => setRemoving(undefined)}
          perform={async () => {
            await removeMember(brandId, removing.user_id);
            refresh('operator:members');
          }}
        >
          <p>Their sessions and tokens of this workspace end. Their work stays.</p>
        </Confirm>
      )}
    </Section>
  );
}

/** Searches people by name or email and excludes current members. */
function AddMember({ brandId, present }: { brandId: number; present: WorkspaceMember[] }) {
  const [typed, setTyped] = useState('');
  const words = useSettled(typed.trim());
  const found = useResource(
    words ? `operator:people:found:${words}` : null,
    (signal) => listPeople(words, undefined, signal),
    { keep: true },
  );
  const toast = useToast();
  const add = useAction(async (userId: number, name: string) => {
    try {
      await putMember(brandId, userId, present.length === 0 ? 'admin' : 'member');
      setTyped('');
      refresh(`operator:members:${brandId}`);
      toast({ text: `${name} is in` });
    } catch (error) {
      toast({ text: (error as Error).message, tone: 'error' });
    }
  });
  const others = found.data?.users.filter((user) => !present.some(({ user_id }) => user_id === user.user_id));
  return (
    <div className="stack-tight" data-unguarded="">
      <span className="search-box search-wide">
        <input
          type="search"
          aria-label="Find a person to add"
          placeholder="Find a person to add, by name or mail"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </span>
      {typed.trim() && words && others && (
        <ul className="plain-list" aria-label="People found">
          {others.slice(0, 5).map((user) => (
            <li key={user.user_id} className="found-person">
              <span className="found-name">
                {user.full_name} <span className="muted small">{user.email}</span>
              </span>
              <Button small busy={add.busy} onClick={() => void add.run(user.user_id, user.full_name)}>
                Add<span className="off-screen"> {user.full_name}</span>
              </Button>
            </li>
          ))}
          {others.length === 0 && <li className="muted small">No other people match.</li>}
        </ul>
      )}
    </div>
  );
}
