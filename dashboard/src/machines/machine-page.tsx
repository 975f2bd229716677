import { useRef, useState } from 'react';
import { useAction } from '../api/action.js';
import {
  changeEnvironment,
  type Environment,
  readEnvironment,
  readWorkstation,
  regenerateToken,
  releaseWorkstation,
  removeDeskPhoto,
  requestUpdate,
  type Secrets,
  setDeskPhoto,
  type Workstation,
} from '../api/machines.js';
import { refresh, useResource } from '../api/resource.js';
import { navigate } from '../shell/router.js';
import { useIsAdmin } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Facts, plainWords, Time } from '../ui/display.js';
import { ErrorNote, Loaded, Note } from '../ui/feedback.js';
import { Menu } from '../ui/menu.js';
import { Page, Section } from '../ui/page.js';
import { useToast } from '../ui/toast.js';
import { Checklist } from './checklist.js';
import { DeskPhoto } from './desk-photo.js';
import { DeskStatus } from './desk-status.js';
import { EditDeskDialog } from './edit-desk-dialog.js';
import { InstallerDialog } from './order-dialog.js';
import { Timeline } from './timeline.js';
import { Updates } from './updates.js';

const ONBOARDING_POLL_MS = 3000;
const READY_POLL_MS = 15_000;

export function MachinePage({ deskId }: { deskId: string }) {
  const [ready, setReady] = useState(false);
  const desk = useResource(
    `desk:${deskId}`,
    async (signal) => {
      const read = await readWorkstation(deskId, signal);
      setReady(read.ready);
      return read;
    },
    { pollMs: ready ? READY_POLL_MS : ONBOARDING_POLL_MS },
  );
  const environment = useResource(`environment:${deskId}`, (signal) => readEnvironment(deskId, signal), {
    pollMs: READY_POLL_MS,
  });
  const isAdmin = useIsAdmin();
  return (
    <Page
      title={desk.data?.name ?? 'Desk'}
      back={{ to: '/dashboard/machines', label: 'Machines' }}
      lead={environment.data?.description}
      actions={desk.data && <DeskActions desk={desk.data} environment={environment.data} />}
    >
      <Loaded of={desk} rows={6}>
        {(data) => (
          <div className="split">
            <div className="stack">
              <Section title="Onboarding">
                {data.status === 'suspended' && (
                  <Note tone="warn">The desk is suspended: it is not polled.</Note>
                )}
                <Checklist steps={data.onboarding_steps} label="Onboarding" />
              </Section>
              <Timeline deskId={deskId} />
            </div>
            <div className="stack">
              <DeskRecord desk={data} environment={environment.data} />
              {isAdmin && <Updates deskId={deskId} />}
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

type Ask = 'release' | 'token' | 'edit' | undefined;

function DeskActions({ desk, environment }: { desk: Workstation; environment: Environment | undefined }) {
  const id = desk.workstation_id;
  const isAdmin = useIsAdmin();
  const toast = useToast();
  const [asking, setAsking] = useState<Ask>();
  const [secrets, setSecrets] = useState<Secrets>();
  const suspended = desk.status === 'suspended';
  const pause = useAction(async () => {
    await changeEnvironment(id, { status: suspended ? 'provisioned' : 'suspended' });
    refreshDesk(id);
    toast({ text: suspended ? 'Resumed: polling is on again' : 'Suspended: polling has stopped' });
  });
  const update = useAction(async () => {
    await requestUpdate(id);
    refresh(`updates:${id}`);
    toast({ text: 'Update queued: it runs when no build is running' });
  });
  const fault = pause.fault ?? update.fault;
  return (
    <>
      {fault && <ErrorNote fault={fault} />}
      <Button busy={pause.busy} onClick={() => void pause.run()}>
        {suspended ? 'Resume' : 'Suspend'}
      </Button>
      {isAdmin && (
        <Button busy={update.busy} onClick={() => void update.run()}>
          Update
        </Button>
      )}
      <Menu
        label="More"
        items={[
          { label: 'Rename or describe', perform: () => setAsking('edit'), disabled: !environment },
          { label: 'Regenerate token', perform: () => setAsking('token') },
          { label: 'Release desk', perform: () => setAsking('release'), tone: 'danger' },
        ]}
      />
      {asking === 'edit' && environment && (
        <EditDeskDialog deskId={id} environment={environment} onClose={() => setAsking(undefined)} />
      )}
      {asking === 'token' && (
        <Confirm
          title="Regenerate the token?"
          submit="Regenerate"
          tone="primary"
          onClose={() => setAsking(undefined)}
          perform={async () => setSecrets(await regenerateToken(id))}
        >
          <p>The present token dies at once. The desk comes back when the new installer has run on it.</p>
        </Confirm>
      )}
      {asking === 'release' && (
        <Confirm
          title={`Release ${desk.name}?`}
          submit="Release desk"
          onClose={() => setAsking(undefined)}
          perform={async () => {
            await releaseWorkstation(id);
            refresh('desks');
            toast({ text: `${desk.name} is released` });
            navigate('/dashboard/machines');
          }}
        >
          <p>The desk leaves the workspace and its token dies at once.</p>
        </Confirm>
      )}
      {secrets && (
        <InstallerDialog
          title="New installer commands"
          secrets={secrets}
          onClose={() => setSecrets(undefined)}
        />
      )}
    </>
  );
}

function refreshDesk(id: string): void {
  for (const key of ['desk:', 'environment:', 'timeline:', 'updates:']) refresh(key + id);
  refresh('desks');
}

function DeskRecord({ desk, environment }: { desk: Workstation; environment: Environment | undefined }) {
  const id = desk.workstation_id;
  const input = useRef<HTMLInputElement>(null);
  const [stamp, setStamp] = useState('');
  const photo = useAction(async (file: File | undefined) => {
    await (file ? setDeskPhoto(id, file) : removeDeskPhoto(id));
    setStamp(String(Date.now()));
    refresh(`environment:${id}`);
  });
  return (
    <Section title="Record">
      <div className="photo-line">
        <DeskPhoto address={environment?.image_url} size={72} stamp={stamp} />
        <input
          ref={input}
          type="file"
          hidden
          accept="image/png,image/jpeg,image/gif,image/webp"
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file) void photo.run(file);
            event.target.value = '';
          }}
        />
        <Button small busy={photo.busy} onClick={() => input.current?.click()}>
          {environment?.image_url ? 'Replace photo' : 'Add photo'}
        </Button>
        {environment?.image_url && (
          <Button small tone="quiet" busy={photo.busy} onClick={() => void photo.run(undefined)}>
            Remove
          </Button>
        )}
      </div>
      {photo.fault && <ErrorNote fault={photo.fault} />}
      <Facts items={factsOf(desk, environment)} />
    </Section>
  );
}

function factsOf(desk: Workstation, environment: Environment | undefined): [string, React.ReactNode][] {
  const facts: [string, React.ReactNode][] = [
    ['Status', <DeskStatus key="status" status={desk.status} />],
    ['Runtime', plainWords(desk.runtime)],
    ['Short code', environment && <span className="mono">{environment.short_id}</span>],
    ['Region', environment?.region],
    ['Host', environment?.hostname],
    ['Mesh address', environment?.mesh_address && <span className="mono">{environment.mesh_address}</span>],
    ['Workspace', environment && <span className="mono">{environment.workspace_path}</span>],
    ['Waiting to sync', environment && String(environment.pending_sync_count)],
    ['Building', environment?.building && 'yes'],
    ['Sidecar', environment?.sidecar_version],
    ['Code digest', environment?.sidecar_code_digest && <Digest text={environment.sidecar_code_digest} />],
    ['Last upgrade', environment?.last_upgrade_at && <Time at={environment.last_upgrade_at} />],
    ['Last contact', environment && <Time at={environment.last_contact_at} />],
    ['Ordered', environment && <Time at={environment.created_at} />],
  ];
  return facts.filter(([, value]) => Boolean(value));
}

const Digest = ({ text }: { text: string }) => (
  <span className="mono" title={text}>
    {text.slice(0, 12)}
  </span>
);
