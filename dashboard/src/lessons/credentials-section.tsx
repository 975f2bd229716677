import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import {
  type Credentials,
  type Project,
  readCredentials,
  readDeployKey,
  removeCredentials,
  rotateKey,
  setCredentials,
  startIndex,
} from '../api/lessons.js';
import { putResource, refresh, useResource } from '../api/resource.js';
import { useIsAdmin, useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm, Dialog } from '../ui/dialog.js';
import { CodeLine, Time } from '../ui/display.js';
import { ErrorNote, Loaded, Note } from '../ui/feedback.js';
import { TextField } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useToast } from '../ui/toast.js';

const keyOf = (projectId: string) => `credentials:${projectId}`;
const keep = (projectId: string, now: Credentials) => putResource<Credentials>(keyOf(projectId), () => now);

/** The credentials for the repository: members can see them, admins can change them. */
export function CredentialsSection({ project }: { project: Project }) {
  const { project_id: id } = project;
  const credentials = useResource(keyOf(id), (signal) => readCredentials(id, signal));
  return (
    <Section
      title="Access to the repository"
      lead="Guildhall opens a private repository with the workspace’s key, the project’s own key, or an https token."
    >
      <Loaded of={credentials} rows={3}>
        {(data) => (
          <div className="stack">
            <Present credentials={data} project={project} />
            <Changes credentials={data} project={project} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

interface PartProps {
  credentials: Credentials;
  project: Project;
}

const NAMES: Record<Credentials['kind'], string> = {
  workspace: 'The key of the workspace',
  deploy_key: 'A key of this project',
  token: 'A token',
};

function Present({ credentials, project }: PartProps) {
  const { kind, public_key, fingerprint, former_fingerprint, username, host, created_at, used_at } =
    credentials;
  return (
    <div className="stack-tight">
      <p>
        <strong>{NAMES[kind]}</strong>
        {host && (
          <>
            {' '}
            for <span className="mono">{host}</span>, as <span className="mono">{username}</span>
          </>
        )}
      </p>
      {public_key && <CodeLine label="Public key; add it at the host" code={public_key} />}
      <p className="muted small">
        {fingerprint && (
          <>
            Fingerprint <span className="mono">{fingerprint}</span>,{' '}
          </>
        )}
        {created_at && (
          <>
            made <Time at={created_at} />
          </>
        )}
        {kind !== 'workspace' &&
          (used_at ? (
            <>
              , worked <Time at={used_at} />
            </>
          ) : (
            ', has not worked yet'
          ))}
      </p>
      {former_fingerprint && (
        <Note tone="warn">
          Until this key has worked, the one before it is tried too:{' '}
          <span className="mono">{former_fingerprint}</span>. Add the new one at the host, then remove that.
        </Note>
      )}
      {host && isElsewhere(host, project) && (
        <Note tone="warn">The repository moved to another host. Enter a token for the new host.</Note>
      )}
    </div>
  );
}

function isElsewhere(host: string, { repository }: Project): boolean {
  if (!repository || !URL.canParse(repository.url)) return true;
  const url = new URL(repository.url);
  return url.protocol !== 'https:' || url.host !== host;
}

function Changes({ credentials: { kind, public_key }, project }: PartProps) {
  const admin = useIsAdmin();
  const toast = useToast();
  const { brand } = useSession();
  const { project_id: id } = project;
  const [asked, setAsked] = useState<'token' | 'rotate' | 'remove'>();
  const make = useAction(async () => {
    keep(id, await setCredentials({ project_id: id, kind: 'deploy_key' }));
    toast({ text: 'The project has a key of its own: add it at the host' });
  });
  const show = useAction(async () => {
    await readDeployKey(brand.brand_id);
    refresh(keyOf(id));
  });
  if (!admin) return null;
  const takesToken = project.repository?.url.startsWith('https://');
  return (
    <>
      <div className="form-bar">
        {kind === 'workspace' && !public_key && (
          <Button busy={show.busy} onClick={() => void show.run()}>
            Show the workspace’s key
          </Button>
        )}
        {kind !== 'deploy_key' && (
          <Button busy={make.busy} onClick={() => void make.run()}>
            Create a key for this project
          </Button>
        )}
        {kind === 'deploy_key' && <Button onClick={() => setAsked('rotate')}>Rotate the key</Button>}
        {takesToken && (
          <Button onClick={() => setAsked('token')}>
            {kind === 'token' ? 'Replace the token' : 'Use a token'}
          </Button>
        )}
        {kind !== 'workspace' && (
          <Button tone="quiet" onClick={() => setAsked('remove')}>
            Back to the workspace’s key
          </Button>
        )}
      </div>
      {(make.fault ?? show.fault) && <ErrorNote fault={(make.fault ?? show.fault)!} />}
      {asked === 'token' && <TokenDialog projectId={id} onClose={() => setAsked(undefined)} />}
      {asked === 'rotate' && (
        <Confirm
          title="Rotate the key?"
          submit="Rotate key"
          onClose={() => setAsked(undefined)}
          perform={async () => {
            keep(id, await rotateKey(id));
            toast({ text: 'New key created. Add it at the host' });
          }}
        >
          <p>The current key keeps working until the new one has worked once.</p>
        </Confirm>
      )}
      {asked === 'remove' && (
        <Confirm
          title="Go back to the workspace’s key?"
          submit="Go back"
          onClose={() => setAsked(undefined)}
          perform={async () => {
            await removeCredentials(id);
            refresh(keyOf(id));
            toast({ text: 'The project uses the key of the workspace' });
          }}
        >
          <p>The project’s own key or token is deleted. You cannot undo this.</p>
        </Confirm>
      )}
    </>
  );
}

function TokenDialog({ projectId, onClose }: { projectId: string; onClose(): void }) {
  const toast = useToast();
  const [username, setUsername] = useState('');
  const [token, setToken] = useState('');
  const save = useAction(async () => {
    const given = {
      kind: 'token' as const,
      token: token.trim(),
      ...(username.trim() && { username: username.trim() }),
    };
    keep(projectId, await setCredentials({ project_id: projectId, ...given }));
    await startIndex(projectId);
    refresh(`index:${projectId}`);
    toast({ text: 'Token saved. Checking the repository' });
    onClose();
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    void save.run();
  }
  return (
    <Dialog title="Use a token" onClose={onClose}>
      <Form fault={save.fault} busy={save.busy} className="stack" onSubmit={submit}>
        <p className="muted">
          The token is stored encrypted, never shown again, and sent only to the repository’s current host.
        </p>
        <TextField
          label="Name"
          field="username"
          hint="Left empty, x-access-token, which most hosts take."
          value={username}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setUsername(event.target.value)}
        />
        <TextField
          label="Token"
          field="token"
          type="password"
          required
          value={token}
          autoComplete="off"
          onChange={(event) => setToken(event.target.value)}
        />
        <FormFault />
        <div className="form-bar">
          <Button type="submit" tone="primary" busy={save.busy} disabled={token.trim() === ''}>
            Save token
          </Button>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
