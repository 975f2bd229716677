import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { acceptInvitation, type InvitationOffer, readInvitation, signOut } from '../api/identity.js';
import { useResource } from '../api/resource.js';
import { navigate } from '../shell/router.js';
import { useSessionState } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { ErrorNote, Note } from '../ui/feedback.js';
import { PasswordField, TextField } from '../ui/field.js';
import { Entrance } from './entrance.js';

/** Somebody who is signed in accepts with one click; a new person chooses a name and a password. */
export function InvitationPage({ token }: { token: string }) {
  const { state, check, end } = useSessionState();
  const [accepted, setAccepted] = useState(false);
  const offer = useResource(`invitation:${token}`, (signal) => readInvitation(token, signal));
  const session = state.kind === 'signed-in' ? state.session : undefined;
  const action = useAction(async (body: { full_name?: string; password?: string }) => {
    const { brand_id } = await acceptInvitation(token, body);
    if (brand_id === session?.brand.brand_id) {
      await check();
      navigate('/dashboard', { replace: true });
      return;
    }
    // A session belongs to one workspace; the new one is opened by signing in to it.
    await signOut().catch(() => undefined);
    setAccepted(true);
  });

  if (accepted) {
    return (
      <Entrance title="Welcome">
        <Note tone="good">You are in. Sign in to open the workspace.</Note>
        <Button
          tone="primary"
          className="button-wide"
          onClick={() => {
            end();
            navigate('/sign-in', { replace: true });
          }}
        >
          Sign in
        </Button>
      </Entrance>
    );
  }
  if (offer.fault) {
    return (
      <Entrance title="This invitation is over">
        <ErrorNote fault={offer.fault} />
        <p>Ask whoever invited you for another one.</p>
      </Entrance>
    );
  }
  return (
    <Entrance title="Join the workspace" lead={describe(offer.data)}>
      {session ? (
        <div className="stack">
          <p>
            Signed in as <strong>{session.user.full_name}</strong> ({session.user.email}).
          </p>
          {action.fault && <ErrorNote fault={action.fault} />}
          <Button
            tone="primary"
            className="button-wide"
            busy={action.busy}
            onClick={() => void action.run({})}
          >
            Accept the invitation
          </Button>
        </div>
      ) : (
        <NewPersonForm action={action} token={token} />
      )}
    </Entrance>
  );
}

const describe = (offer: InvitationOffer | undefined): string => {
  if (!offer) return '';
  const { brand, inviter, email, role } = offer;
  const who = inviter.name ? `${inviter.name} invites` : 'You are invited:';
  return `${who} ${email} to ${brand.name} as ${role === 'member' ? 'a member' : role === 'admin' ? 'an admin' : 'a guest'}.`;
};

interface NewPersonProps {
  token: string;
  action: ReturnType<typeof useAction<[{ full_name?: string; password?: string }], void>>;
}

function NewPersonForm({ token, action }: NewPersonProps) {
  const [fullName, setFullName] = useState('');
  const [password, setPassword] = useState('');
  function submit(event: FormEvent) {
    event.preventDefault();
    void action.run({ full_name: fullName.trim(), password });
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label="Full name"
        autoComplete="name"
        required
        maxLength={200}
        value={fullName}
        onChange={(event) => setFullName(event.target.value)}
      />
      <PasswordField fresh value={password} onChange={setPassword} />
      {action.fault && <ErrorNote fault={action.fault} />}
      <Button type="submit" tone="primary" className="button-wide" busy={action.busy}>
        Join
      </Button>
      <button
        type="button"
        className="text-button"
        onClick={() =>
          navigate(`/sign-in?next=${encodeURIComponent(`/invitations/${encodeURIComponent(token)}`)}`)
        }
      >
        I already have an account
      </button>
    </form>
  );
}
