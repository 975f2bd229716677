import { useState } from 'react';
import { useSession, useSessionState } from '../shell/session.js';
import { Dialog } from '../ui/dialog.js';
import { CodeForm } from './code-form.js';
import { PasswordForm } from './password-form.js';

/** Opens over the current page, so unsaved input is kept. */
export function SignInAgain() {
  const { user, brand } = useSession();
  const { end } = useSessionState();
  const [challenge, setChallenge] = useState<string>();
  return (
    <Dialog title="Your session has ended" guard="locked" onClose={end}>
      <div className="stack">
        <p className="muted">Sign in again to continue. Your unsaved text is kept.</p>
        {challenge ? (
          <CodeForm challenge={challenge} onGiveUp={() => setChallenge(undefined)} />
        ) : (
          <PasswordForm email={user.email} brandId={brand.brand_id} onChallenge={setChallenge} />
        )}
        <button type="button" className="text-button" onClick={end}>
          Leave this page instead
        </button>
      </div>
    </Dialog>
  );
}
