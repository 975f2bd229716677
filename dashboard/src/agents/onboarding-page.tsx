import { useMemo, useState } from 'react';
import { type Hire, listEmployees, readGrants, readHire } from '../api/agents.js';
import { readEnvironment, readWorkstation } from '../api/machines.js';
import { type Resource, useResource } from '../api/resource.js';
import { Checklist } from '../machines/checklist.js';
import { DeskStatus } from '../machines/desk-status.js';
import { NextStep } from '../machines/next-step.js';
import { useMachinesShown } from '../machines/switched-off.js';
import { useCommands } from '../shell/commands.js';
import { Link, usePlace } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Badge, Facts, formatInstant, Time } from '../ui/display.js';
import { Empty, Loaded, Note } from '../ui/feedback.js';
import { Page, Section } from '../ui/page.js';
import { CancelDialog, HireStatus } from './hire-states.js';
import { canCancel, isLeaving } from './hire-words.js';

const PROVISIONING_POLL_MS = 2000;
const SETTLED_POLL_MS = 15_000;

export function OnboardingPage() {
  const hireId = usePlace().query.get('hire') ?? '';
  return hireId ? (
    <HirePage key={hireId} hireId={hireId} />
  ) : (
    <Page title="Onboarding" back={{ to: '/dashboard/agents', label: 'Agents' }}>
      <Empty title="No hire is named in this address">Open it from the list of agents.</Empty>
    </Page>
  );
}

function HirePage({ hireId }: { hireId: string }) {
  const hire = useHire(hireId);
  const desk = useDesk(hire.data);
  const employees = useResource('employees', listEmployees);
  const [canceling, setCanceling] = useState(false);
  const cancelable = hire.data !== undefined && canCancel(hire.data);
  useCommands(
    useMemo(
      () =>
        cancelable
          ? [
              {
                id: 'cancel-hire',
                label: 'Cancel this hire',
                group: 'Agents',
                perform: () => setCanceling(true),
              },
            ]
          : [],
      [cancelable],
    ),
  );
  const employee = employees.data?.employees.find(({ profile_id }) => profile_id === hire.data?.profile_id);
  const name = employee?.name ?? 'The agent';
  return (
    <Page
      title={name}
      back={{ to: '/dashboard/agents', label: 'Agents' }}
      lead={employee?.description}
      actions={
        hire.data &&
        canCancel(hire.data) && (
          <Button onClick={() => setCanceling(true)}>
            {isLeaving(hire.data) ? 'End the hire now' : 'Cancel hire'}
          </Button>
        )
      }
    >
      <Loaded of={hire} rows={5}>
        {(data) => (
          <>
            <StateNote hire={data} name={name} deskReady={desk.data?.ready} />
            <DeskStep desk={desk} />
            <div className="split">
              <div className="stack desk-main">
                <Section title="Steps">
                  <Checklist steps={data.steps} label="Steps" />
                </Section>
                {desk.data && !desk.data.ready && (
                  <Section title="Desk">
                    <Checklist steps={desk.data.onboarding_steps} label="Steps of the desk" />
                  </Section>
                )}
                {data.agent_id && <Tools agentId={data.agent_id} />}
              </div>
              <HireRecord hire={data} desk={desk} />
            </div>
          </>
        )}
      </Loaded>
      {canceling && hire.data && (
        <CancelDialog hire={hire.data} name={name} onClose={() => setCanceling(false)} />
      )}
    </Page>
  );
}

function useHire(hireId: string): Resource<Hire> {
  const [settled, setSettled] = useState(false);
  return useResource(
    `hire:${hireId}`,
    async (signal) => {
      const read = await readHire(hireId, signal);
      setSettled(read.status !== 'provisioning');
      return read;
    },
    { pollMs: settled ? SETTLED_POLL_MS : PROVISIONING_POLL_MS },
  );
}

type Desk = Awaited<ReturnType<typeof readWorkstation>>;

function useDesk(hire: Hire | undefined): Resource<Desk> {
  const id = hire?.workstation_id;
  return useResource(id ? `desk:${id}` : null, (signal) => readWorkstation(id!, signal), {
    pollMs: PROVISIONING_POLL_MS,
  });
}

/** Shows the desk's setup step here, because the agent cannot work before its desk is ready. */
function DeskStep({ desk }: { desk: Resource<Desk> }) {
  const id = desk.data && !desk.data.ready ? desk.data.workstation_id : null;
  const record = useResource(id && `environment:${id}`, (signal) => readEnvironment(id!, signal));
  return id && desk.data ? <NextStep desk={desk.data} installed={Boolean(record.data?.hostname)} /> : null;
}

interface StateNoteProps {
  hire: Hire;
  name: string;
  deskReady: boolean | undefined;
}

function StateNote({ hire, name, deskReady }: StateNoteProps) {
  if (hire.status === 'provisioning') {
    return hire.error ? (
      <Note tone="warn">The last attempt failed and will be repeated: {hire.error}</Note>
    ) : (
      <Note>{name} is being set up. This page follows along.</Note>
    );
  }
  if (isLeaving(hire)) {
    return (
      <Note tone="warn">
        {name} works until {formatInstant(hire.effective_at!)}. The hire is canceled and will not be renewed.
      </Note>
    );
  }
  if (hire.status === 'canceled') {
    return <Note>This hire ended {hire.effective_at && formatInstant(hire.effective_at)}.</Note>;
  }
  // Show nothing while the desk is loading.
  if (hire.workstation_id && deskReady === undefined) return null;
  if (deskReady === false) return <Note tone="warn">{name} is hired and starts when the desk is ready.</Note>;
  return <Note tone="good">{name} is at work.</Note>;
}

function Tools({ agentId }: { agentId: string }) {
  const grants = useResource(`hire:grants:${agentId}`, (signal) => readGrants(agentId, signal));
  return (
    <Section title="Tools" lead="The tools this agent can use.">
      <Loaded of={grants} rows={1}>
        {({ tools }) =>
          tools.length === 0 ? (
            <p className="muted">None. No package that it needs is installed.</p>
          ) : (
            <ul className="tool-list" aria-label="Tools">
              {tools.map((tool) => (
                <li key={tool.package}>
                  <span className="mono">{tool.package}</span>
                  <Badge tone={tool.enabled ? 'good' : 'plain'}>{tool.enabled ? 'on' : 'off'}</Badge>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function HireRecord({ hire, desk }: { hire: Hire; desk: Resource<Desk> }) {
  const machinesShown = useMachinesShown();
  const items: [string, React.ReactNode][] = [
    ['State', <HireStatus key="state" hire={hire} desk={desk.data} />],
    ['Agent', hire.agent_id && <span className="mono">{hire.agent_id}</span>],
    [
      'Memory',
      hire.agent_id && <Link to={`/dashboard/memory/${encodeURIComponent(hire.agent_id)}`}>Memory</Link>,
    ],
    [
      'Desk',
      desk.data && (
        <span className="row-title">
          {machinesShown ? (
            <Link to={`/dashboard/machines/${desk.data.workstation_id}`}>{desk.data.name}</Link>
          ) : (
            desk.data.name
          )}
          <DeskStatus desk={desk.data} />
        </span>
      ),
    ],
    ['Hired', <Time key="hired" at={hire.created_at} />],
    [
      hire.status === 'canceled' ? 'Ends' : 'Renews',
      <Time key="end" at={hire.effective_at ?? hire.current_period_end} exact />,
    ],
    ['Granted', hire.comp_reason],
  ];
  return (
    <Section title="Record">
      <Facts items={items.filter(([, value]) => Boolean(value))} />
    </Section>
  );
}
