import { useState } from 'react';
import { refresh, useResource } from '../api/resource.js';
import { type Invitation, listInvitations, revokeInvitation } from '../api/workspace.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Badge, Time } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { useToast } from '../ui/toast.js';
import { InviteDialog } from './invite-dialog.js';

export function InvitationsTab() {
  const { brand } = useSession();
  const invitations = useResource(`invitations:${brand.brand_id}`, (signal) =>
    listInvitations(brand.brand_id, signal),
  );
  const [inviting, setInviting] = useState(false);
  return (
    <Section
      title="Open invitations"
      lead="Invitations are mailed, work for seven days, and only for the invited address."
      actions={
        <Button tone="primary" onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      <Loaded of={invitations}>
        {(data) =>
          data.invitations.length === 0 ? (
            <Empty title="No invitations">Invite a person to see the invitation here.</Empty>
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
    </Section>
  );
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { brand } = useSession();
  const toast = useToast();
  const [revoking, setRevoking] = useState(false);
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
      </span>
      {pending && (
        <Button small tone="quiet" onClick={() => setRevoking(true)}>
          Revoke<span className="off-screen"> the invitation of {invitation.email}</span>
        </Button>
      )}
      {revoking && (
        <Confirm
          title={`Revoke the invitation of ${invitation.email}?`}
          submit="Revoke invitation"
          onClose={() => setRevoking(false)}
          perform={async () => {
            await revokeInvitation(brand.brand_id, invitation.id);
            refresh(`invitations:${brand.brand_id}`);
            toast({ text: `The link mailed to ${invitation.email} no longer works` });
          }}
        >
          <p>The link in their mail stops working. You can invite them again at any time.</p>
        </Confirm>
      )}
    </div>
  );
}
