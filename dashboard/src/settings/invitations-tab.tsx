import { useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh, useResource } from '../api/resource.js';
import { type Invitation, inviteMember, listInvitations, revokeInvitation } from '../api/workspace.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { Badge, Time } from '../ui/display.js';
import { Empty, ErrorNote, Loaded } from '../ui/feedback.js';
import { SelectField, TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';

export function InvitationsTab() {
  const { brand } = useSession();
  const invitations = useResource(`invitations:${brand.brand_id}`, (signal) =>
    listInvitations(brand.brand_id, signal),
  );
  const [inviting, setInviting] = useState(false);
  return (
    <div className="stack">
      <div>
        <Button tone="primary" onClick={() => setInviting(true)}>
          Invite somebody
        </Button>
      </div>
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      <Loaded of={invitations}>
        {(data) =>
          data.invitations.length === 0 ? (
            <Empty title="No invitations">An invitation is mailed and works for seven days.</Empty>
          ) : (
            <ul className="rows">
              {data.invitations.map((invitation) => (
                <li key={invitation.id}>
                  <InvitationRow invitation={invitation} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

function InviteDialog({ onClose }: { onClose(): void }) {
  const { brand } = useSession();
  const toast = useToast();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<'admin' | 'member'>('member');
  const invite = useAction(async () => {
    await inviteMember(brand.brand_id, { email: email.trim(), role });
    refresh(`invitations:${brand.brand_id}`);
    toast({ text: `An invitation is on its way to ${email.trim()}` });
    onClose();
  });
  return (
    <FormDialog
      title="Invite somebody"
      submit="Send the invitation"
      action={invite}
      onSubmit={() => void invite.run()}
      onClose={onClose}
    >
      <TextField
        label="E-mail address"
        type="email"
        required
        maxLength={320}
        hint="Only whoever holds this address can accept."
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label="Role"
        value={role}
        onChange={(event) => setRole(event.target.value as 'admin' | 'member')}
      >
        <option value="member">Member</option>
        <option value="admin">Admin</option>
      </SelectField>
    </FormDialog>
  );
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { brand } = useSession();
  const revoke = useAction(async () => {
    await revokeInvitation(brand.brand_id, invitation.id);
    refresh(`invitations:${brand.brand_id}`);
  });
  const pending = invitation.status === 'pending';
  return (
    <div className="row">
      <span className="row-main">
        <span className="row-title">
          <strong>{invitation.email}</strong>
          <Badge>{invitation.role}</Badge>
          <Badge tone={pending ? 'info' : 'plain'}>{invitation.status}</Badge>
        </span>
        <span className="muted small">
          sent <Time at={invitation.created_at} />, expires <Time at={invitation.expires_at} />
        </span>
        {revoke.fault && <ErrorNote fault={revoke.fault} />}
      </span>
      {pending && (
        <Button small tone="quiet" busy={revoke.busy} onClick={() => void revoke.run()}>
          Revoke
        </Button>
      )}
    </div>
  );
}
