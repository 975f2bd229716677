import { useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh, useResource } from '../api/resource.js';
import { type Invitation, listInvitations, revokeInvitation } from '../api/workspace.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Badge, Time } from '../ui/display.js';
import { Empty, ErrorNote, Loaded } from '../ui/feedback.js';
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
      lead="An invitation is mailed and works for seven days, for its address alone."
      actions={
        <Button tone="primary" onClick={() => setInviting(true)}>
          Invite somebody
        </Button>
      }
    >
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      <Loaded of={invitations}>
        {(data) =>
          data.invitations.length === 0 ? (
            <Empty title="No invitations">Invite somebody, and see here whether they came.</Empty>
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
  const revoke = useAction(async () => {
    await revokeInvitation(brand.brand_id, invitation.id);
    refresh(`invitations:${brand.brand_id}`);
    toast({ text: `The link mailed to ${invitation.email} no longer works` });
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
