import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import {
  acceptInvitation,
  type InvitationOffer,
  readInvitation,
  signIn,
  signOut,
  switchWorkspace,
} from '../api/identity.js';
import { type Resource, useResource } from '../api/resource.js';
import { navigate } from '../shell/router.js';
import { useSessionState } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { ErrorNote, Note, Skeleton } from '../ui/feedback.js';
import { PasswordField, TextField } from '../ui/field.js';
import { Form, FormFault } from '../ui/refusal.js';
import { Entrance } from './entrance.js';

/** Signed-in users accept with one click; new users choose a name and a password. */
export function InvitationPage({ token }: { token: string }) {
  const { state, check, end } = useSessionState();
  const [accepted, setAccepted] = useState(false);
  const offer = useResource(`invitation:${token}`, (signal) => readInvitation(token, signal));
  const session = state.kind === 'signed-in' ? state.session : undefined;
  const action = useAction(async (body: { full_name?: string; password?: string }) => {
    const { brand_id } = await acceptInvitation(token, body);
    if (await enter(brand_id)) {
      navigate('/dashboard', { replace: true });
      await check();
    } else setAccepted(true);

    /** The invitation is already accepted, so if signing in fails, the user continues on the sign-in page. */
    async function enter(brandId: number): Promise<boolean> {
      try {
        if (brandId === session?.brand.brand_id) return true;
        if (session) await switchWorkspace(brandId);
        else {
          const answer = await signIn({
            email: offer.data!.email,
            password: body.password!,
            brand_id: brandId,
          });
          if ('challenge' in answer) return false;
        }
        return true;
      } catch {
        return false;
      }
    }
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
  if (!offer.data) return <NoOffer offer={offer} />;
  return (
    <Entrance title={`Join ${offer.data.brand.name}`} lead={describe(offer.data)}>
      {session ? (
        <Signed email={session.user.email} name={session.user.full_name} offer={offer.data} action={action} />
      ) : offer.data.new_person ? (
        <NewPersonForm action={action} token={token} />
      ) : (
        <Button
          tone="primary"
          className="button-wide"
          onClick={() => navigate(signInAddress(token), { replace: true })}
        >
          Sign in to accept
        </Button>
      )}
    </Entrance>
  );
}

/** The invitation is no longer valid, or it could not be loaded. */
function NoOffer({ offer }: { offer: Resource<InvitationOffer> }) {
  if (!offer.fault)
    return (
      <Entrance title="Your invitation">
        <Skeleton rows={3} />
      </Entrance>
    );
  const over = offer.fault.status >= 400 && offer.fault.status < 500 && offer.fault.status !== 429;
  return over ? (
    <Entrance title="This invitation has expired">
      <ErrorNote fault={offer.fault} />
      <p>Ask the person who invited you for a new one.</p>
      <button type="button" className="text-button" onClick={() => navigate('/dashboard')}>
        Go to the dashboard
      </button>
    </Entrance>
  ) : (
    <Entrance title="Your invitation">
      <ErrorNote fault={offer.fault} onRetry={offer.reload} />
    </Entrance>
  );
}

type Accept = ReturnType<typeof useAction<[{ full_name?: string; password?: string }], void>>;

interface SignedProps {
  email: string;
  name: string;
  offer: InvitationOffer;
  action: Accept;
}

function Signed({ email, name, offer, action }: SignedProps) {
  const { end } = useSessionState();
  const leave = useAction(async () => {
    await signOut();
    end();
  });
  const theirs = email.toLowerCase() === offer.email.toLowerCase();
  return (
    <div className="stack">
      <p>
        Signed in as <strong>{name}</strong> ({email}).
      </p>
      {action.fault && <ErrorNote fault={action.fault} />}
      {leave.fault && <ErrorNote fault={leave.fault} />}
      {theirs ? (
        <Button tone="primary" className="button-wide" busy={action.busy} onClick={() => void action.run({})}>
          Accept the invitation
        </Button>
      ) : (
        <>
          <Note tone="warn">The invitation is for {offer.email}, and only that person can accept it.</Note>
          <Button className="button-wide" busy={leave.busy} onClick={() => void leave.run()}>
            Sign out and continue
          </Button>
        </>
      )}
    </div>
  );
}

const signInAddress = (token: string): string =>
  `/sign-in?next=${encodeURIComponent(`/invitations/${encodeURIComponent(token)}`)}`;

const describe = (offer: InvitationOffer): string => {
  const { brand, inviter, email, role } = offer;
  const who = inviter.name ? `${inviter.name} invites` : 'You are invited:';
  return `${who} ${email} to ${brand.name} as ${role === 'member' ? 'a member' : role === 'admin' ? 'an admin' : 'a guest'}.`;
};

interface NewPersonProps {
  token: string;
  action: Accept;
}

function NewPersonForm({ token, action }: NewPersonProps) {
  const [fullName, setFullName] = useState('');
  const [password, setPassword] = useState('');
  function submit(event: FormEvent) {
    event.preventDefault();
    void action.run({ full_name: fullName.trim(), password });
  }
  return (
    <Form fault={action.fault} busy={action.busy} className="stack" onSubmit={submit}>
      <TextField
        label="Full name"
        field="full_name"
        autoComplete="name"
        required
        maxLength={200}
        value={fullName}
        onChange={(event) => setFullName(event.target.value)}
      />
      <PasswordField fresh value={password} onChange={setPassword} />
      <FormFault />
      <Button type="submit" tone="primary" className="button-wide" busy={action.busy}>
        Join
      </Button>
      <button type="button" className="text-button" onClick={() => navigate(signInAddress(token))}>
        I already have an account
      </button>
    </Form>
  );
}
