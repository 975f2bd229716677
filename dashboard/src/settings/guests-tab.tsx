import { useState } from 'react';
import { refresh, useResource } from '../api/resource.js';
import { type Guest, listGuests, makeMember, removeGuest } from '../api/workspace.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Avatar, Badge, countOf } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { useToast } from '../ui/toast.js';
import { InviteGuestDialog } from './invite-guest-dialog.js';

export function GuestsTab() {
  const { brand } = useSession();
  const guests = useResource(`guests:${brand.brand_id}`, (signal) => listGuests(brand.brand_id, signal));
  const [inviting, setInviting] = useState(false);
  return (
    <Section
      title="Guests"
      lead="People outside the workspace who can open some boards or docs spaces."
      actions={
        <Button tone="primary" onClick={() => setInviting(true)}>
          Invite a guest
        </Button>
      }
    >
      {inviting && <InviteGuestDialog onClose={() => setInviting(false)} />}
      <Loaded of={guests}>
        {(data) =>
          data.guests.length === 0 ? (
            <Empty title="No guests">Invite a person to one board to read, comment or edit its cards.</Empty>
          ) : (
            <ul className="rows">
              {data.guests.map((guest) => (
                <li key={guest.user_id}>
                  <GuestRow guest={guest} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function GuestRow({ guest }: { guest: Guest }) {
  const { brand } = useSession();
  const toast = useToast();
  const [asking, setAsking] = useState<'invite' | 'remove'>();
  const close = () => setAsking(undefined);
  return (
    <div className="row">
      <Avatar name={guest.full_name} photo={guest.image} size={36} />
      <span className="row-main">
        <strong>{guest.full_name}</strong>
        <span className="muted small">{guest.email}</span>
        <span className="tags">
          {guest.access.map((access) => (
            <Badge key={`${access.kind}:${access.resource_id}`}>
              {access.kind}: {access.name} {access.role && `(${access.role})`}
            </Badge>
          ))}
        </span>
      </span>
      <span className="row-actions">
        <Button small onClick={() => setAsking('invite')}>
          Make member
        </Button>
        <Button small tone="quiet" onClick={() => setAsking('remove')}>
          Remove
        </Button>
      </span>
      {asking === 'invite' && (
        <Confirm
          title={`Make ${guest.full_name} a member?`}
          submit="Send the invitation"
          tone="primary"
          onClose={close}
          perform={async () => {
            const invitation = await makeMember(brand.brand_id, guest.user_id);
            refresh(`invitations:${brand.brand_id}`);
            toast({ text: `Invitation sent to ${invitation.email}` });
          }}
        >
          <p>We mail them an invitation. They see the whole workspace after they accept it.</p>
        </Confirm>
      )}
      {asking === 'remove' && (
        <Confirm
          title={`Remove ${guest.full_name}?`}
          submit="Remove guest"
          onClose={close}
          perform={async () => {
            const removed = await removeGuest(brand.brand_id, guest.user_id);
            refresh(`guests:${brand.brand_id}`);
            toast({
              text: `Removed from ${countOf(removed.boards_removed, 'board')} and ${countOf(removed.docs_removed, 'docs space')}`,
            });
          }}
        >
          <p>
            They lose access to all boards and docs spaces immediately. Their cards, comments and pages stay.
          </p>
        </Confirm>
      )}
    </div>
  );
}
