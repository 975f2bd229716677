import { useState } from 'react';
import { useAction } from '../api/action.js';
import { deleteSecret, listSecrets, type ProjectSecret, type Recipient, setSecret } from '../api/lessons.js';
import { refresh, useResource } from '../api/resource.js';
import { useIsAdmin } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Checkbox, TextArea, TextField } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useToast } from '../ui/toast.js';

const keyOf = (projectId: string) => `project-secrets:${projectId}`;
const RECIPIENTS: Record<Recipient, string> = { setup: 'Setup', checks: 'Checks', coder: 'Coder' };

/** Environment variables for builds. Only admins change them; no one sees their values. */
export function SecretsSection({ projectId }: { projectId: string }) {
  const isAdmin = useIsAdmin();
  const secrets = useResource(keyOf(projectId), (signal) => listSecrets(projectId, signal));
  const [deleting, setDeleting] = useState<ProjectSecret>();
  return (
    <Section title="Secrets" lead="Environment variables for builds. Values are never shown again.">
      <Loaded of={secrets} rows={1}>
        {(data) => (
          <ul className="rows">
            {data.secrets.map((secret) => (
              <li key={secret.name} className="row">
                <div className="row-main">
                  <span className="row-title mono">{secret.name}</span>
                  <span className="muted small">
                    {secret.to.map((to) => RECIPIENTS[to]).join(', ')}, changed{' '}
                    <Time at={secret.updated_at} />
                  </span>
                </div>
                {isAdmin && (
                  <span className="row-actions">
                    <Button small tone="quiet" onClick={() => setDeleting(secret)}>
                      Delete
                    </Button>
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {isAdmin && <SecretForm projectId={projectId} />}
      {deleting && (
        <Confirm
          title={`Delete the secret ${deleting.name}?`}
          submit="Delete secret"
          onClose={() => setDeleting(undefined)}
          perform={async () => {
            await deleteSecret(projectId, deleting.name);
            refresh(keyOf(projectId));
          }}
        >
          <p>Builds that start afterwards do not get it.</p>
        </Confirm>
      )}
    </Section>
  );
}

const EMPTY: { name: string; value: string; to: Recipient[] } = {
  name: '',
  value: '',
  to: ['setup', 'checks'],
};

function SecretForm({ projectId }: { projectId: string }) {
  const toast = useToast();
  const [draft, setDraft] = useState(EMPTY);
  const action = useAction(async () => {
    const { name } = await setSecret(projectId, draft);
    setDraft(EMPTY);
    refresh(keyOf(projectId));
    toast({ text: `Saved ${name}. New builds get it.` });
  });
  return (
    <Form fault={action.fault} busy={action.busy} onSubmit={() => void action.run()} className="stack">
      <TextField
        label="Name"
        field="name"
        required
        pattern="[A-Z0-9_]{1,64}"
        placeholder="NPM_TOKEN"
        value={draft.name}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
      />
      <TextArea
        label="Value"
        field="value"
        required
        rows={2}
        value={draft.value}
        onChange={(event) => setDraft({ ...draft, value: event.target.value })}
      />
      <div className="build-choices">
        {(Object.keys(RECIPIENTS) as Recipient[]).map((to) => (
          <Checkbox
            key={to}
            label={RECIPIENTS[to]}
            checked={draft.to.includes(to)}
            onChange={(on) =>
              setDraft({ ...draft, to: on ? [...draft.to, to] : draft.to.filter((one) => one !== to) })
            }
          />
        ))}
      </div>
      <FormFault />
      <span>
        <Button type="submit" busy={action.busy} disabled={draft.to.length === 0}>
          Set secret
        </Button>
      </span>
    </Form>
  );
}
