import { useAction } from '../api/action.js';
import { refresh, useResource } from '../api/resource.js';
import { type Invitation, listInvitations, revokeInvitation } from '../api/workspace.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Badge, Time } from '../ui/display.js';
import { Empty, ErrorNote, Loaded } from '../ui/feedback.js';

export function InvitationsTab() {
  const { brand } = useSession();
  const invitations = useResource(`invitations:${brand.brand_id}`, (signal) =>
    listInvitations(brand.brand_id, signal),
  );
  return (
    <Loaded of={invitations}>
      {(data) =>
        data.invitations.length === 0 ? (
          <Empty title="No invitations">
            Making a guest a member sends them an invitation; it works for seven days.
          </Empty>
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
