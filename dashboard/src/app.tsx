import { useEffect } from 'react';
import { InvitationPage } from './entrance/invitation-page.js';
import { ResetPasswordPage } from './entrance/reset-password-page.js';
import { SignInPage } from './entrance/sign-in-page.js';
import { Areas } from './shell/areas.js';
import { navigate, type Place, usePlace } from './shell/router.js';
import { SessionProvider, useSessionState } from './shell/session.js';
import { Shell } from './shell/shell.js';
import { ErrorNote } from './ui/feedback.js';
import { ToastProvider } from './ui/toast.js';

export function App() {
  return (
    <ToastProvider>
      <SessionProvider>
        <Pages />
      </SessionProvider>
    </ToastProvider>
  );
}

function Pages() {
  const place = usePlace();
  const { state, check } = useSessionState();
  if (place.parts[0] === 'reset-password')
    return <ResetPasswordPage token={place.query.get('token') ?? ''} />;
  if (state.kind === 'loading') return <div className="blank" role="status" aria-label="Loading" />;
  if (state.kind === 'failed') {
    return (
      <main className="alone">
        <ErrorNote fault={state.fault} onRetry={() => void check()} />
      </main>
    );
  }
  if (place.parts[0] === 'invitations') return <InvitationPage token={place.parts[1] ?? ''} />;
  if (place.parts[0] === 'sign-in') {
    if (state.kind === 'none')
      return <SignInPage next={place.query.get('next')} fault={place.query.get('fault')} />;
    return <GoTo to={safeNext(place.query.get('next'))} />;
  }
  if (state.kind === 'none') return <GoTo to={`/sign-in${nextOf(place)}`} />;
  return (
    <Shell>
      <Areas place={place} />
    </Shell>
  );
}

const nextOf = ({ path }: Place): string =>
  path === '/dashboard' ? '' : `?next=${encodeURIComponent(path + location.search)}`;

/** Only our own pages: an address from a link must not lead away. */
export function safeNext(next: string | null): string {
  return next && /^\/(dashboard|invitations)(\/|$|\?)/.test(next) ? next : '/dashboard/boards';
}

function GoTo({ to }: { to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}
