import { withoutCredentials } from '../../../kernel/addresses.js';
import { escapeMarkdown } from '../../../kernel/markdown.js';
import { explainCoders, isRefused } from '../../../kernel/plans.js';
import { onboardingSteps } from '../health/checklist.js';
import { isDormant, workstationStatus } from '../health/desk-status.js';
import type { EnvironmentView, TimelineView, WorkstationView } from './desks.schemas.js';
import type { DeskEventRow, DeskRow } from './desks.store.js';

export const imageUrl = (deskId: string): string => `/api/v1/environments/${deskId}/image`;

const shownRepository = ({ url, branch }: { url: string; branch?: string }) => ({
  url: withoutCredentials(url),
  branch: branch ?? null,
});

export function viewWorkstation(desk: DeskRow): WorkstationView {
  const status = workstationStatus(desk.status);
  return {
    workstation_id: desk.desk_id,
    name: desk.name,
    runtime: desk.runtime,
    status,
    ready: status === 'ready',
    ...(desk.repository && { repository: shownRepository(desk.repository) }),
    poll_url: `/api/v1/workstations/${desk.desk_id}`,
    onboarding_url: `/dashboard/machines/${desk.desk_id}`,
    onboarding_steps: onboardingSteps({
      status: desk.status,
      saidHello: desk.hello_at !== null,
      installerExitCode: desk.installer_exit_code,
      installerMessage: desk.installer_message,
      meshRegistered: desk.mesh_registered_at !== null,
      sidecarRegistered: desk.sidecar_url !== null,
      everAnswered: desk.first_answered_at !== null,
      misrouted: desk.misrouted,
      misses: desk.misses,
    }),
  };
}

export const isDeskDormant = (desk: DeskRow, now: Date): boolean =>
  isDormant({ status: desk.status, lastContactAt: desk.last_contact_at, createdAt: desk.created_at }, now);

const viewWork = ({ runtime, work, credentials }: DeskRow, now: Date) => ({
  coders: explainCoders(
    runtime,
    work?.asked
      ? {
          ...work,
          refused: Object.keys(work.refusals).filter((coder) => isRefused(coder, work.refusals, credentials)),
        }
      : undefined,
  ),
  held_until:
    work?.held_until && new Date(work.held_until) > now ? new Date(work.held_until).toISOString() : null,
});

export function viewEnvironment(desk: DeskRow, now: Date): EnvironmentView {
  return {
    env_id: desk.desk_id,
    workstation_id: desk.desk_id,
    short_id: desk.short_id,
    name: desk.name,
    description: desk.description,
    runtime: desk.runtime,
    region: desk.region,
    vps_provider: desk.vps_provider,
    status: desk.status,
    dormant: isDeskDormant(desk, now),
    sidecar_url: desk.sidecar_url,
    workspace_path: desk.workspace_path,
    repository: desk.repository && shownRepository(desk.repository),
    pending_sync_count: desk.pending_sync_count,
    building: desk.building,
    isolation: desk.isolation,
    ...viewWork(desk, now),
    image_url: desk.image_key === null ? null : imageUrl(desk.desk_id),
    sidecar_version: desk.sidecar_version,
    sidecar_code_digest: desk.sidecar_code_digest,
    last_upgrade_at: desk.last_upgrade_at?.toISOString() ?? null,
    hostname: desk.hostname,
    mesh_address: desk.mesh_address,
    last_contact_at: desk.last_contact_at?.toISOString() ?? null,
    created_at: desk.created_at.toISOString(),
    updated_at: desk.updated_at.toISOString(),
  };
}

export const viewEvent = (event: DeskEventRow): TimelineView['items'][number] => ({
  id: event.event_id,
  at: event.at.toISOString(),
  kind: event.kind,
  from: event.from_status,
  to: event.to_status,
  reason: event.reason,
  probes: event.probes,
});

const MARKS = { done: 'x', pending: ' ', failed: '!', blocked: '-' } as const;

export function workstationMarkdown(desk: WorkstationView): string {
  const facts = [
    ['workstation_id', desk.workstation_id],
    ['runtime', desk.runtime],
    ['status', desk.status],
    ['ready', String(desk.ready)],
    ...Object.entries(desk.repository ?? {}).map(([key, value]) => [
      `repository.${key}`,
      escapeMarkdown(value ?? 'null'),
    ]),
    ['poll_url', desk.poll_url],
    ['onboarding_url', desk.onboarding_url],
  ];
  const steps = desk.onboarding_steps.map((step) => {
    const reason = step.reason === null ? '' : `, reason \`${step.reason}\``;
    const hint = step.hint === null ? '' : `\n  ${escapeMarkdown(step.hint)}`;
    return `- [${MARKS[step.state]}] ${step.title} (\`${step.key}\`): ${step.state}${reason}${hint}`;
  });
  return [
    `# ${escapeMarkdown(desk.name)}`,
    '',
    ...facts.map(([key, value]) => `- **${key}**: ${value}`),
    '',
    '## Onboarding',
    '',
    ...steps,
    '',
  ].join('\n');
}
