import { useState } from 'react';
import { Note } from '../ui/feedback.js';
import { CodeForm } from './code-form.js';
import { Entrance } from './entrance.js';
import { ForgottenForm } from './forgotten-form.js';
import { PasswordForm } from './password-form.js';

const FAULTS: Record<string, string> = {
  oidc_unavailable: 'The sign-in of your organization is not reachable. Try again shortly.',
  oidc_refused: 'The sign-in of your organization was not finished. Try again.',
  oidc_email_not_verified: 'Your organization has not verified your e-mail address.',
  oidc_unknown_person: 'No account uses your e-mail address. Ask an admin for an invitation.',
  oidc_no_workspace: 'You are not a member of a workspace. Ask an admin for an invitation.',
};

/** The service sets this attribute in the page. */
const hasProvider = () => document.documentElement.dataset['oidc'] === 'on';

/** Single sign-on passes a two-factor challenge in the hash; remove it from the URL immediately. */
function takeChallenge(): string | undefined {
  const challenge = /^#challenge=([\w-]+)$/.exec(location.hash)?.[1];
  if (challenge) history.replaceState(null, '', location.pathname + location.search);
  return challenge;
}

export function SignInPage({ next, fault }: { next: string | null; fault: string | null }) {
  const [challenge, setChallenge] = useState(takeChallenge);
  const [forgotten, setForgotten] = useState(false);
  if (challenge) {
    return (
      <Entrance title="Enter your code" lead="From your authenticator, or one of your recovery codes.">
        <CodeForm challenge={challenge} onGiveUp={() => setChallenge(undefined)} />
      </Entrance>
    );
  }
  if (forgotten) return <ForgottenForm onBack={() => setForgotten(false)} />;
  const words = fault && FAULTS[fault];
  return (
    <Entrance title="Sign in">
      {next?.startsWith('/invitations/') && <Note>Sign in to accept the invitation.</Note>}
      {words && <Note tone="warn">{words}</Note>}
      <PasswordForm onChallenge={setChallenge} />
      {hasProvider() && (
        <a className="button button-wide" href="/api/v1/auth/oidc/start">
          Sign in with your organization
        </a>
      )}
      <button type="button" className="text-button" onClick={() => setForgotten(true)}>
        Forgot password?
      </button>
    </Entrance>
  );
}
