import { useMemo, useState } from 'react';
import { useAction } from '../api/action.js';
import { createPerson, erasePerson, listPeople, type PlatformUser } from '../api/operator.js';
import { refresh, usePages } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { Badge, Time } from '../ui/display.js';
import { Empty } from '../ui/feedback.js';
import { SelectField, TextField } from '../ui/field.js';
import { PlusIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { Paged } from '../ui/paged.js';
import { TableFrame } from '../ui/table-frame.js';
import { useToast } from '../ui/toast.js';
import { EraseDialog } from './erase-dialog.js';
import { SearchField, useWords } from './search-field.js';

export function People() {
  const words = useWords();
  const pages = usePages(
    `operator:people:${words.settled}`,
    (cursor, signal) => listPeople(words.settled, cursor, signal),
    { keep: true },
  );
  const [creating, setCreating] = useState(false);
  useCommands(
    useMemo(
      () => [
        {
          id: 'operator-new-person',
          label: 'New person',
          group: 'Operator',
          keys: 'n',
          words: 'make create add',
          perform: () => setCreating(true),
        },
      ],
      [],
    ),
  );
  const [erasing, setErasing] = useState<PlatformUser>();
  return (
    <Page
      title="People"
      lead="Accounts of all workspaces."
      actions={
        <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
          New person
        </Button>
      }
    >
      <SearchField label="Find a person" words={words} />
      <Paged
        of={pages}
        items={(page) => page.users}
        total={(first) => first.total}
        noun="people"
        empty={
          <Empty title={words.settled ? 'No people match' : 'No people yet'}>
            {words.settled ? undefined : 'Create the first person, then add them to a workspace.'}
          </Empty>
        }
      >
        {(users) => <PeopleTable users={users} onErase={setErasing} />}
      </Paged>
      {creating && <CreatePerson onClose={() => setCreating(false)} />}
      {erasing && <ErasePerson user={erasing} onClose={() => setErasing(undefined)} />}
    </Page>
  );
}

function PeopleTable({ users, onErase }: { users: PlatformUser[]; onErase(user: PlatformUser): void }) {
  return (
    <TableFrame label="People">
      <table className="stacking">
        <thead>
          <tr>
            <th>Name</th>
            <th>Mail</th>
            <th>Kind</th>
            <th className="right">Workspaces</th>
            <th>Created</th>
            <th>
              <span className="off-screen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.user_id}>
              <td>
                <span className="table-name">{user.full_name}</span>
              </td>
              <td data-label="Mail">
                <span className="table-name">{user.email}</span>
              </td>
              <td data-label="Kind">
                {user.kind === 'person' ? 'person' : <Badge tone="accent">{user.kind}</Badge>}
              </td>
              <td data-label="Workspaces" className="right number">
                {user.workspaces}
              </td>
              <td data-label="Made">
                <Time at={user.created_at} />
              </td>
              <td className="right">
                <Button small tone="quiet" onClick={() => onErase(user)}>
                  Erase<span className="off-screen"> {user.full_name}</span>
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

type Kind = 'person' | 'staff' | 'service';
const KINDS: Record<Kind, string> = {
  person: 'Person',
  staff: 'Staff of the platform',
  service: 'Service, a program',
};

function CreatePerson({ onClose }: { onClose(): void }) {
  const toast = useToast();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [kind, setKind] = useState<Kind>('person');
  const action = useAction(async () => {
    await createPerson({ full_name: name.trim(), email: email.trim(), kind, ...(password && { password }) });
    refresh('operator:people');
    toast({ text: `${name.trim()} created. Add them to a workspace` });
    onClose();
  });
  return (
    <FormDialog
      title="New person"
      submit="Create person"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        field="full_name"
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="E-mail"
        field="email"
        type="email"
        required
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label="Kind"
        field="kind"
        value={kind}
        onChange={(event) => setKind(event.target.value as Kind)}
      >
        {Object.entries(KINDS).map(([key, label]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Password"
        field="password"
        type="password"
        autoComplete="new-password"
        minLength={8}
        hint="At least 8 characters. Leave empty to mail them a link."
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </FormDialog>
  );
}

function ErasePerson({ user, onClose }: { user: PlatformUser; onClose(): void }) {
  const toast = useToast();
  const erase = async () => {
    await erasePerson(user.user_id);
    refresh('operator:people');
    toast({ text: `${user.full_name} is being erased` });
    onClose();
  };
  return (
    <EraseDialog name={user.full_name} word={user.email} erase={erase} onClose={onClose}>
      This deletes their account, sessions and tokens, even if a workspace loses its last admin. Their texts
      stay under “Former member”. You cannot undo this.
    </EraseDialog>
  );
}
