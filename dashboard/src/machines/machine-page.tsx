import { useState } from 'react';
import { readFigures } from '../api/figures.js';
import { type Environment, readEnvironment, readWorkstation, type Workstation } from '../api/machines.js';
import { useResource } from '../api/resource.js';
import { useIsAdmin, useSession } from '../shell/session.js';
import { Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Page, Section } from '../ui/page.js';
import { Checklist } from './checklist.js';
import { DeskActions } from './desk-actions.js';
import { DeskBuilds } from './desk-builds.js';
import { DeskCoders, HoldNote, LoginNote } from './desk-coders.js';
import { DeskRecord } from './desk-record.js';
import { AvailabilityBar } from './desk-rows.js';
import { DeskStatus } from './desk-status.js';
import { runtimeWords } from './desk-words.js';
import { InstallerLog } from './installer-log.js';
import { NextStep } from './next-step.js';
import { MachinesOff, useMachinesShown } from './switched-off.js';
import { Timeline } from './timeline.js';
import { Updates } from './updates.js';

const ONBOARDING_POLL_MS = 2000;
const READY_POLL_MS = 10_000;
const AVAILABILITY_MS = 60_000;

export function MachinePage({ deskId }: { deskId: string }) {
  return useMachinesShown() ? <Desk deskId={deskId} /> : <MachinesOff />;
}

function Desk({ deskId }: { deskId: string }) {
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
      wide
      title={desk.data?.name ?? 'Desk'}
      back={{ to: '/dashboard/machines', label: 'Machines' }}
      lead={environment.data?.description}
      actions={desk.data && <DeskActions desk={desk.data} environment={environment.data} />}
    >
      <Loaded of={desk} rows={6}>
        {(data) => (
          <>
            <DeskFacts desk={data} environment={environment.data} />
            {environment.data && <HoldNote environment={environment.data} />}
            {environment.data && <LoginNote environment={environment.data} />}
            {!data.ready && <NextStep desk={data} installed={Boolean(environment.data?.hostname)} />}
            <div className="split">
              <div className="stack desk-main">
                {!data.ready && (
                  <Section title="Onboarding">
                    <Checklist steps={data.onboarding_steps} label="Onboarding" />
                  </Section>
                )}
                <Timeline deskId={deskId} live={!data.ready} />
                <InstallerLog deskId={deskId} live={!data.ready} />
                <DeskBuilds deskId={deskId} />
              </div>
              <div className="stack desk-main">
                {environment.data && <DeskCoders environment={environment.data} />}
                <DeskRecord desk={data} environment={environment.data} />
                {isAdmin && <Updates deskId={deskId} />}
              </div>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function DeskFacts({ desk, environment }: { desk: Workstation; environment: Environment | undefined }) {
  const { brand } = useSession();
  const figures = useResource(
    `figures:${brand.brand_id}:1`,
    (signal) => readFigures(brand.brand_id, 1, signal),
    { freshMs: AVAILABILITY_MS },
  );
  const mine = figures.data?.desks.find(({ workstation_id }) => workstation_id === desk.workstation_id);
  return (
    <dl className="desk-facts">
      <div>
        <dt>State</dt>
        <dd>
          <DeskStatus desk={desk} />
        </dd>
      </div>
      <div>
        <dt>Last seen</dt>
        <dd>
          <Time at={environment?.last_contact_at} />
        </dd>
      </div>
      <div>
        <dt>Runtime</dt>
        <dd>{runtimeWords(desk.runtime)}</dd>
      </div>
      <div>
        <dt>Version</dt>
        <dd className="mono">{environment?.sidecar_version ?? 'none yet'}</dd>
      </div>
      <div>
        <dt>Ready in 14 days</dt>
        <dd>
          <AvailabilityBar figures={mine} />
        </dd>
      </div>
    </dl>
  );
}
