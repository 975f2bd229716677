import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type Forge, renewHookSecret } from '../api/forges.js';
import { refresh } from '../api/resource.js';
import { useIsAdmin } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { CodeLine, Time } from '../ui/display.js';
import { ErrorNote } from '../ui/feedback.js';
import { SecretDialog } from '../ui/secret-dialog.js';
import { forgeKey } from './forge-key.js';

const EVENTS: Record<Forge['kind'], string> = {
  github:
    'content type application/json; pull requests, their reviews and comments, check runs, statuses, deployment statuses and issues',
  gitlab: 'merge request, comment, pipeline, deployment and issue events',
  forgejo: 'content type application/json; pull requests, their reviews and comments, statuses and issues',
};

/** Without the webhook, the service polls the host every two minutes. */
export function HookPart({ forge, projectId }: { forge: Forge; projectId: string }) {
  const { url, secret_set, last_at } = forge.hook;
  return (
    <section className="forge-hook" aria-label="Webhook">
      <h3>Webhook</h3>
      <p className="muted small">
        With it, cards follow within seconds; without it, the host is asked every two minutes. Add it at the
        host: {EVENTS[forge.kind]}.
      </p>
      <CodeLine label="Address" code={url} />
      <p className={secret_set ? 'small' : 'small warn'}>
        {!secret_set ? (
          'The webhook has no secret yet. Guildhall rejects deliveries until you create one.'
        ) : last_at ? (
          <>
            Last delivery <Time at={last_at} />.
          </>
        ) : (
          'No deliveries yet.'
        )}
      </p>
      <SecretChange projectId={projectId} isSet={secret_set} url={url} />
    </section>
  );
}

function SecretChange({ projectId, isSet, url }: { projectId: string; isSet: boolean; url: string }) {
  const admin = useIsAdmin();
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<{ secret: string; renewed: boolean }>();
  async function renew() {
    const { secret } = await renewHookSecret(projectId);
    setMade({ secret, renewed: isSet });
    refresh(forgeKey(projectId));
  }
  const make = useAction(renew);
  if (!admin) return null;
  return (
    <>
      <div>
        <Button small busy={make.busy} onClick={() => (isSet ? setAsking(true) : void make.run())}>
          {isSet ? 'Renew the secret' : 'Make a secret'}
        </Button>
      </div>
      {make.fault && <ErrorNote fault={make.fault} />}
      {asking && (
        <Confirm
          title="Renew the secret?"
          tone="primary"
          submit="Renew secret"
          onClose={() => setAsking(false)}
          perform={renew}
        >
          <p>Enter the new secret at the host within 24 hours. The current secret works until then.</p>
        </Confirm>
      )}
      {made && (
        <SecretDialog
          title="Secret of the webhook"
          secrets={{ Address: url, Secret: made.secret }}
          warning={
            made.renewed
              ? 'The secret is shown only once. The previous one works for 24 hours.'
              : 'The secret is shown only once.'
          }
          onClose={() => setMade(undefined)}
        >
          Paste both into the host’s page for webhooks.
        </SecretDialog>
      )}
    </>
  );
}
