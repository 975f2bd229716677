import { Link } from '../shell/router.js';
import { useIsAdmin } from '../shell/session.js';
import { CopyButton, IconButton } from '../ui/button.js';
import { CloseIcon } from '../ui/icons.js';

/** Stands where the first steps stood, once they are done. */
export function WhatNext({ merged, onClose }: { merged: boolean; onClose(): void }) {
  const admin = useIsAdmin();
  const line = `claude mcp add --transport http guildhall ${location.origin}/mcp --header "Authorization: Bearer $TOKEN"`;
  return (
    <section className="first-run" aria-label="What comes next">
      <header className="first-run-head">
        <div>
          <h2>{merged ? 'Your first build is merged' : 'Your first build is in the repository'}</h2>
          <p className="muted">
            {merged ? 'And its card is done.' : 'On a branch of its own: merging it is yours.'} What comes
            next:
          </p>
        </div>
        <IconButton label="Close" onClick={onClose}>
          <CloseIcon size={16} />
        </IconButton>
      </header>
      <ul className="first-steps">
        <li className="first-step step-pending">
          <div className="first-step-text">
            <strong>Connect an agent of your own</strong>
            <p className="muted small">
              Make a token for it, then run this where it works; it finds boards, memory and lessons as tools.
            </p>
            <p className="what-next-line">
              <code className="mono small">{line}</code>
              <CopyButton text={line} />
            </p>
          </div>
          <NextLink to="/dashboard/settings/tokens">Make a token</NextLink>
        </li>
        <li className="first-step step-pending">
          <div className="first-step-text">
            <strong>Let it take a card, and watch the card move</strong>
            <p className="muted small">Boards follow what people and agents do, as they do it.</p>
          </div>
          <NextLink to="/dashboard/boards">Boards</NextLink>
        </li>
        <li className="first-step step-pending">
          <div className="first-step-text">
            <strong>Bring your own code and a desk for real coders</strong>
            <p className="muted small">
              Name the repository in a project, connect its host there, and run the installer of a desk on a
              Linux machine.
            </p>
          </div>
          <NextLink to="/dashboard/machines">Machines</NextLink>
        </li>
        {admin && (
          <li className="first-step step-pending">
            <div className="first-step-text">
              <strong>Invite the others</strong>
              <p className="muted small">Members see everything here; guests only the boards you share.</p>
            </div>
            <NextLink to="/dashboard/settings/invitations">Invitations</NextLink>
          </li>
        )}
      </ul>
    </section>
  );
}

const NextLink = ({ to, children }: { to: string; children: string }) => (
  <Link className="button button-small" to={to}>
    {children}
  </Link>
);
