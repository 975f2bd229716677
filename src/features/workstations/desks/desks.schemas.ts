import { type Static, Type } from 'typebox';
import { RUNTIMES } from '../../../kernel/plans.js';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { STEP_KEYS } from '../health/checklist.js';
import { ENVIRONMENT_STATUSES, WORKSTATION_STATUSES } from '../health/desk-status.js';
import { ISOLATIONS } from '../sidecar/sidecar-protocol.js';

const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', rule: 'must not be blank' });
const Description = Type.String({ maxLength: 2000 });
const Count = Type.Integer({ minimum: 0 });

export const OrderBody = Named(
  'WorkstationInput',
  Closed({
    name: Described('Name of the desk.', Name),
    runtime: Type.Optional(
      Described(
        'Coding agent of the desk.',
        Type.Unsafe<(typeof RUNTIMES)[number]>(Type.String({ enum: [...RUNTIMES], default: 'claude_code' })),
      ),
    ),
    region: Type.Optional(
      Nullable(Type.String({ maxLength: 255 }), { description: 'Region of the machine.' }),
    ),
    description: Type.Optional(Nullable(Description, { description: 'Purpose of the desk.' })),
  }),
);

export const Step = Named(
  'OnboardingStep',
  Closed({
    key: OneOf(STEP_KEYS),
    title: Type.String(),
    state: OneOf(['pending', 'done', 'failed', 'blocked']),
    reason: Nullable(Type.String()),
    hint: Nullable(Type.String()),
    done: Type.Boolean(),
  }),
);

const desk = {
  workstation_id: Uuid,
  name: Type.String(),
  runtime: OneOf(RUNTIMES),
  status: OneOf(WORKSTATION_STATUSES),
  ready: Type.Boolean(),
};
const secrets = { pat: Type.String(), install_command: Type.String(), install_command_sudo: Type.String() };
const progress = {
  poll_url: Type.String(),
  onboarding_url: Type.String(),
  onboarding_steps: Type.Array(Step),
};

const DeskCoder = Named(
  'DeskCoder',
  Closed({ coder: Type.String(), ready: Type.Boolean(), reason: Nullable(Type.String()) }),
);

const Repository = Named('DeskRepository', Closed({ url: Type.String(), branch: Nullable(Type.String()) }));
/** Only the desk of a hired builder has a repository. */
export const Workstation = Named(
  'Workstation',
  Closed({ ...desk, repository: Type.Optional(Repository), ...progress }),
);
export type WorkstationView = Static<typeof Workstation>;

export const Order = Named('OrderedWorkstation', Closed({ ...desk, ...secrets, ...progress }));
export type OrderView = Static<typeof Order>;

export const Released = Named(
  'ReleasedWorkstation',
  Closed({ workstation_id: Uuid, released: Type.Literal(true) }),
);
export const Regenerated = Named('RegeneratedToken', Closed({ workstation_id: Uuid, ...secrets }));

export const EnvironmentPatch = Named(
  'EnvironmentPatch',
  Closed({
    name: Type.Optional(Described('Name of the desk.', Name)),
    description: Type.Optional(
      Nullable(Description, { description: 'Purpose of the desk; null clears it.' }),
    ),
    status: Type.Optional(
      Type.String({
        description: `One of: ${ENVIRONMENT_STATUSES.join(', ')}; callers may set suspended and provisioned`,
      }),
    ),
    sidecar_url: Type.Optional(Type.String({ maxLength: 2048, description: 'URL of the sidecar.' })),
  }),
);
export type EnvironmentChange = Static<typeof EnvironmentPatch>;

export const Environment = Named(
  'Environment',
  Closed({
    env_id: Uuid,
    workstation_id: Uuid,
    short_id: Type.String(),
    name: Type.String(),
    description: Nullable(Type.String()),
    runtime: OneOf(RUNTIMES),
    region: Nullable(Type.String()),
    vps_provider: Nullable(Type.String()),
    status: OneOf(ENVIRONMENT_STATUSES),
    dormant: Type.Boolean(),
    sidecar_url: Nullable(Type.String()),
    workspace_path: Type.String(),
    repository: Nullable(Repository),
    pending_sync_count: Count,
    building: Type.Boolean(),
    isolation: Nullable(OneOf(ISOLATIONS)),
    coders: Type.Array(DeskCoder),
    held_until: Nullable(Timestamp),
    image_url: Nullable(Type.String()),
    sidecar_version: Nullable(Type.String()),
    sidecar_code_digest: Nullable(Type.String()),
    last_upgrade_at: Nullable(Timestamp),
    hostname: Nullable(Type.String()),
    mesh_address: Nullable(Type.String()),
    last_contact_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type EnvironmentView = Static<typeof Environment>;

export const WorkstationsQuery = Type.Object({
  with: Type.Optional(
    Type.String({
      enum: ['environment'],
      description: '`environment` adds the environment record of each desk.',
    }),
  ),
});

const ListedWorkstation = Named(
  'ListedWorkstation',
  Closed({
    ...desk,
    repository: Type.Optional(Repository),
    ...progress,
    environment: Type.Optional(Environment),
  }),
);
export const WorkstationList = Named(
  'WorkstationList',
  Closed({
    workstations: Type.Array(ListedWorkstation),
    dormant: Type.Array(ListedWorkstation),
    total: Count,
  }),
);

export const ReauthStatus = Named(
  'ReauthStatus',
  Closed({
    checked: Count,
    dormant: Count,
    expired: Type.Array(
      Closed({ workstation_id: Uuid, name: Type.String(), runtime: Type.String(), since: Timestamp }),
    ),
  }),
);
export type ReauthView = Static<typeof ReauthStatus>;

export const TimelineQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Events to return.' }),
  ),
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Return only events with a smaller id.' })),
});
export const Timeline = Named(
  'DeskTimeline',
  Closed({
    env_id: Uuid,
    items: Type.Array(
      Closed({
        id: Type.Integer(),
        at: Timestamp,
        kind: Type.String(),
        from: Nullable(Type.String()),
        to: Nullable(Type.String()),
        reason: Nullable(Type.String()),
        probes: Type.Array(
          Closed({
            at: Timestamp,
            outcome: OneOf(['answered', 'missed', 'misrouted']),
            detail: Type.String(),
            duration_ms: Type.Number(),
          }),
        ),
      }),
    ),
  }),
);
export type TimelineView = Static<typeof Timeline>;
