import { useRef, useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh, useResource } from '../api/resource.js';
import {
  changeMember,
  listMembers,
  type Member,
  removeMember,
  removeMemberPhoto,
  sendPasswordReset,
  setMemberPhoto,
} from '../api/workspace.js';
import { useIsAdmin, useSession, useSessionState } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Avatar, Badge, Time } from '../ui/display.js';
import { ErrorNote, Loaded } from '../ui/feedback.js';
import { Menu } from '../ui/menu.js';
import { Section } from '../ui/page.js';
import { useToast } from '../ui/toast.js';
import { InviteDialog } from './invite-dialog.js';
import { PositionDialog, SetPasswordDialog } from './member-dialogs.js';

export function MembersTab() {
  const { brand } = useSession();
  const members = useResource(`members:${brand.brand_id}`, (signal) => listMembers(brand.brand_id, signal));
  const isAdmin = useIsAdmin();
  const [inviting, setInviting] = useState(false);
  return (
    <Section
      title={
        members.data ? `${members.data.total} ${members.data.total === 1 ? 'member' : 'members'}` : 'Members'
      }
      actions={
        isAdmin && (
          <Button tone="primary" onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      <Loaded of={members}>
        {(data) => (
          <ul className="rows">
            {data.members.map((member) => (
              <li key={member.user_id}>
                <MemberRow member={member} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { brand, user } = useSession();
  const isAdmin = useIsAdmin();
  const [stamp, setStamp] = useState('');
  const [asking, setAsking] = useState<'position' | 'password' | 'removal' | 'photo' | 'reset'>();
  const toast = useToast();
  const { check } = useSessionState();
  const input = useRef<HTMLInputElement>(null);
  const ids = [brand.brand_id, member.user_id] as const;
  const act = useAction(async (perform: () => Promise<unknown>, said?: string) => {
    await perform();
    if (said) toast({ text: said });
    refresh(`members:${brand.brand_id}`);
  });
  const setPhoto = (file: File) =>
    void act
      .run(() => setMemberPhoto(...ids, file), 'Photo changed')
      .then(() => setStamp(String(Date.now())));
  const setRole = async (role: Member['role']) => {
    const before = member.role;
    await act.run(async () => {
      await changeMember(...ids, { role });
      // Admins who demote themselves must no longer see admin pages.
      if (member.user_id === user.user_id) await check();
      toast({
        text: `${member.full_name} is ${role === 'admin' ? 'an admin' : 'a member'} now`,
        action: { label: 'Undo', perform: () => void setRole(before) },
      });
    });
  };
  const otherRole = member.role === 'admin' ? 'member' : 'admin';
  const photo = member.photo && stamp ? `${member.photo}?${stamp}` : member.photo;
  return (
    <div className="row" data-member={member.user_id}>
      <Avatar name={member.full_name} photo={photo} size={36} />
      <span className="row-main">
        <span className="row-title">
          <strong>{member.full_name}</strong>
          <Badge tone={member.role === 'admin' ? 'accent' : 'plain'}>{member.role}</Badge>
          {member.user_id === user.user_id && <Badge>you</Badge>}
        </span>
        <span className="row-text">{member.position ?? <span className="muted">No position</span>}</span>
        <span className="muted small">
          {member.email}, joined <Time at={member.joined_at} />
        </span>
        {act.fault && <ErrorNote fault={act.fault} />}
      </span>
      {isAdmin && (
        <>
          <input
            ref={input}
            type="file"
            hidden
            accept="image/png,image/jpeg,image/gif"
            onChange={(event) => {
              const file = event.target.files?.[0];
              if (file) setPhoto(file);
              event.target.value = '';
            }}
          />
          <Menu
            label={`Manage ${member.full_name}`}
            items={[
              {
                label: otherRole === 'admin' ? 'Make admin' : 'Make member',
                perform: () => void setRole(otherRole),
              },
              { label: 'Change position', perform: () => setAsking('position') },
              { label: member.photo ? 'Replace photo' : 'Add photo', perform: () => input.current?.click() },
              ...(member.photo
                ? [
                    {
                      label: 'Remove photo',
                      perform: () => setAsking('photo'),
                    },
                  ]
                : []),
              { label: 'Send reset link', perform: () => setAsking('reset') },
              { label: 'Set password', perform: () => setAsking('password') },
              { label: 'Remove from the workspace', tone: 'danger', perform: () => setAsking('removal') },
            ]}
          />
        </>
      )}
      {asking === 'removal' && (
        <Confirm
          title={`Remove ${member.full_name}?`}
          submit="Remove member"
          onClose={() => setAsking(undefined)}
          perform={async () => {
            await removeMember(...ids);
            refresh(`members:${brand.brand_id}`);
            toast({ text: `${member.full_name} is no longer a member` });
          }}
        >
          <p>Their sessions, tokens and open invitations here end immediately. Their texts stay.</p>
        </Confirm>
      )}
      {asking === 'photo' && (
        <Confirm
          title={`Remove the photo of ${member.full_name}?`}
          submit="Remove photo"
          onClose={() => setAsking(undefined)}
          perform={async () => {
            await removeMemberPhoto(...ids);
            refresh(`members:${brand.brand_id}`);
            toast({ text: 'Photo removed' });
          }}
        >
          <p>Their initials are shown until a new photo is added.</p>
        </Confirm>
      )}
      {asking === 'reset' && (
        <Confirm
          title={`Mail ${member.full_name} a reset link?`}
          submit="Send the link"
          tone="primary"
          onClose={() => setAsking(undefined)}
          perform={async () => {
            const { message } = await sendPasswordReset(...ids);
            toast({ text: message });
          }}
        >
          <p>
            It goes to {member.email} and works once, for an hour. Their password stays until they choose
            another one.
          </p>
        </Confirm>
      )}
      {asking === 'position' && <PositionDialog member={member} onClose={() => setAsking(undefined)} />}
      {asking === 'password' && <SetPasswordDialog member={member} onClose={() => setAsking(undefined)} />}
    </div>
  );
}
