import { deskStore } from '../../features/workstations/desks/desks.store.js';
import type { Probe } from '../../features/workstations/health/desk-status.js';
import type { WorkstationService } from '../../features/workstations/index.js';
import { type Clock, DAY, HOUR, MINUTE, secondsFrom } from '../../kernel/clock.js';
import type { Runtime } from '../../kernel/plans.js';
import type { Db } from '../../platform/database/database.js';
import type { DemoDesk } from './demo-desk.js';
import { type DeskPast, rewritePast } from './workstations.store.js';

interface WorkstationDemo {
  db: Db;
  clock: Clock;
  baseUrl: string;
  workstations: WorkstationService;
  /** Undefined where desks cannot be reached on loopback. */
  demoDesk: DemoDesk | undefined;
}

interface Story {
  name: string;
  runtime: Runtime;
  description: string;
  /** Seconds since it was ordered. */
  age: number;
  facts: DeskPast;
  events?: {
    kind: string;
    ago: number;
    from?: 'provisioned' | 'active' | 'unreachable';
    to?: 'active' | 'unreachable' | 'suspended';
    reason?: string;
    probes?: Probe[];
  }[];
}

const ACTOR = { kind: 'operator' };

/** Unreachable for a while, then active again. */
const outage = (ago: number, seconds: number): NonNullable<Story['events']> => [
  { kind: 'status', ago, from: 'active', to: 'unreachable', reason: 'unreachable' },
  { kind: 'status', ago: ago - seconds, from: 'unreachable', to: 'active', reason: 'answered' },
];

/** Creates desks in every state; the active one is real. */
export async function seedWorkstationDemo(
  demo: WorkstationDemo,
  brandId: number,
  /** The only project for the real desk, because its script knows no other repository. */
  onlyProjectId?: string,
): Promise<void> {
  const now = demo.clock.now();
  for (const story of listStories(now)) await placeDesk(demo, brandId, story, now);
  const { workstations, demoDesk } = demo;
  if (!demoDesk) return;
  const ordered = await workstations.orderDesk(
    demo.db,
    brandId,
    {
      name: 'Loopback',
      runtime: 'custom',
      region: 'local',
      description: 'A real sidecar on this machine',
      onlyProjectId,
    },
    ACTOR,
  );
  const { workspace_path: workspacePath } = await workstations.getEnvironment(brandId, ordered.deskId);
  await demoDesk.furnish({
    deskId: ordered.deskId,
    pat: ordered.pat,
    url: demo.baseUrl,
    workspacePath,
  });
}

async function placeDesk(
  { db, workstations }: WorkstationDemo,
  brandId: number,
  story: Story,
  now: Date,
): Promise<void> {
  const { deskId: workstationId } = await workstations.orderDesk(
    db,
    brandId,
    { name: story.name, runtime: story.runtime, description: story.description, region: 'eu-central' },
    ACTOR,
  );
  const orderedAt = secondsFrom(now, -story.age);
  await rewritePast(db, workstationId, orderedAt, story.facts);
  const desks = deskStore(db, brandId);
  for (const { ago, ...event } of story.events ?? [])
    await desks.addEvent(workstationId, { ...event, at: secondsFrom(now, -ago) });
}

function listStories(now: Date): Story[] {
  const ago = (seconds: number) => secondsFrom(now, -seconds);
  const installed = (since: number, machine: string) => ({
    hello_at: ago(since),
    hostname: machine,
    installation_id: `demo-${machine}`,
    mesh_registered_at: ago(since),
    first_answered_at: ago(since - 60),
    last_contact_at: ago(since - 60),
    sidecar_version: '0.3.0',
    sidecar_code_digest: 'd'.repeat(64),
  });
  const probes: Probe[] = [90, 60, 30].map((back) => ({
    at: ago(2 * HOUR + back).toISOString(),
    outcome: 'missed',
    detail: 'No answer within 5 seconds',
    duration_ms: 5001,
  }));
  const credentials = JSON.stringify([
    { runtime: 'codex', state: 'expired', since: ago(3 * DAY).toISOString() },
  ]);
  return [
    {
      name: 'Anvil',
      runtime: 'claude_code',
      description: 'Ordered, its installer has not run',
      age: 2 * HOUR,
      facts: {},
    },
    {
      name: 'Bellows',
      runtime: 'codex',
      description: 'Its installer could not download',
      age: HOUR,
      facts: {
        installer_exit_code: 11,
        installer_message: 'the sidecar could not be fetched',
        last_contact_at: ago(50 * MINUTE),
      },
      events: [{ kind: 'installer_step', ago: 50 * MINUTE, reason: 'download (exit 11)' }],
    },
    {
      name: 'Crucible',
      runtime: 'claude_code',
      description: 'Installed on a machine of another desk',
      age: DAY,
      facts: { misrouted: true, last_contact_at: ago(20 * HOUR) },
      events: [{ kind: 'hello_refused', ago: 20 * HOUR, reason: 'misrouted' }],
    },
    {
      name: 'Drift',
      runtime: 'codex',
      description: 'Stopped answering two hours ago',
      age: 30 * DAY,
      facts: {
        ...installed(30 * DAY, 'drift'),
        status: 'unreachable',
        misses: 3,
        missed_probes: JSON.stringify(probes),
        last_contact_at: ago(2 * HOUR + 120),
        credentials,
      },
      events: [
        { kind: 'status', ago: 30 * DAY - 60, from: 'provisioned', to: 'active', reason: 'answered' },
        ...[9 * DAY, 4 * DAY + 7 * HOUR, 15 * HOUR].flatMap((back) => outage(back, 3 * HOUR)),
        { kind: 'status', ago: 2 * HOUR, from: 'active', to: 'unreachable', reason: 'unreachable', probes },
      ],
    },
    {
      name: 'Ember',
      runtime: 'claude_code',
      description: 'Paused for the weekend',
      age: 12 * DAY,
      facts: { ...installed(12 * DAY, 'ember'), status: 'suspended', last_contact_at: ago(DAY) },
      events: [
        { kind: 'hello', ago: 12 * DAY - 40 },
        { kind: 'installer_step', ago: 12 * DAY - 50, reason: 'packages (exit 0)' },
        { kind: 'sidecar_registered', ago: 12 * DAY - 55 },
        { kind: 'status', ago: 12 * DAY - 60, from: 'provisioned', to: 'active', reason: 'answered' },
        ...outage(6 * DAY, 5 * HOUR),
        { kind: 'status', ago: DAY, from: 'active', to: 'suspended', reason: 'suspended' },
      ],
    },
    {
      name: 'Flint',
      runtime: 'custom',
      description: 'Silent for three weeks',
      age: 60 * DAY,
      facts: {
        ...installed(60 * DAY, 'flint'),
        status: 'unreachable',
        misses: 3,
        last_contact_at: ago(21 * DAY),
      },
      events: [{ kind: 'status', ago: 21 * DAY, from: 'active', to: 'unreachable', reason: 'unreachable' }],
    },
  ];
}
