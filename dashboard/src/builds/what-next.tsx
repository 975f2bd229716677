import { Link } from '../shell/router.js';
import { useIsAdmin } from '../shell/session.js';
import { CopyButton, IconButton } from '../ui/button.js';
import { CloseIcon } from '../ui/icons.js';

export function WhatNext({ merged, onClose }: { merged: boolean; onClose(): void }) {
  const admin = useIsAdmin();
  const line = `claude mcp add --transport http guildhall ${location.origin}/mcp --header "Authorization: Bearer $TOKEN"`;
  return (
    <section className="first-run" aria-label="Next steps">
      <header className="first-run-head">
        <div>
          <h2>{merged ? 'Your first build is merged' : 'Your first build is in the repository'}</h2>
          <p className="muted">
            {merged ? 'And its card is done.' : 'It is on its own branch. Merge it on the host.'} Next steps:
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
              Create a token for it and run this command where the agent works. It gets tools for boards,
              memory and lessons.
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
            <strong>Give it a card and watch the card move</strong>
            <p className="muted small">Boards update live.</p>
          </div>
          <NextLink to="/dashboard/boards">Boards</NextLink>
        </li>
        <li className="first-step step-pending">
          <div className="first-step-text">
            <strong>Add your own code and a desk</strong>
            <p className="muted small">
              Add the repository to a project, connect its host, and run the installer of a desk on a Linux
              machine.
            </p>
          </div>
          <NextLink to="/dashboard/machines">Machines</NextLink>
        </li>
        {admin && (
          <li className="first-step step-pending">
            <div className="first-step-text">
              <strong>Invite your team</strong>
              <p className="muted small">
                Members see the whole workspace. Guests see only the boards you share.
              </p>
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
