import { type Static, type TProperties, Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp, Uuid } from '../../http/schemas.js';
import { ENVIRONMENT_STATUSES, STEP_KEYS, WORKSTATION_STATUSES } from './onboarding.js';
import { RUNTIMES } from './sidecar-protocol.js';

const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', rule: 'must not be blank' });
const Description = Type.String({ maxLength: 2000 });
const Count = Type.Integer({ minimum: 0 });

export const OrderBody = Closed({
  name: Name,
  runtime: Type.Optional(
    Type.Unsafe<(typeof RUNTIMES)[number]>(Type.String({ enum: [...RUNTIMES], default: 'claude_code' })),
  ),
  region: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
  description: Type.Optional(Nullable(Description)),
});

export const Step = Closed({
  key: OneOf(STEP_KEYS),
  title: Type.String(),
  state: OneOf(['pending', 'done', 'failed', 'blocked']),
  reason: Nullable(Type.String()),
  hint: Nullable(Type.String()),
  done: Type.Boolean(),
});

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

export const Workstation = Closed({ ...desk, ...progress });
export type WorkstationView = Static<typeof Workstation>;

/** The secrets of an order are answered this once. */
export const Order = Closed({ ...desk, ...secrets, ...progress });
export type OrderView = Static<typeof Order>;

export const WorkstationList = Closed({
  workstations: Type.Array(Workstation),
  dormant: Type.Array(Workstation),
  total: Count,
});
export const Released = Closed({ workstation_id: Uuid, released: Type.Literal(true) });
export const Regenerated = Closed({ workstation_id: Uuid, ...secrets });

export const EnvironmentPatch = Closed({
  name: Type.Optional(Name),
  description: Type.Optional(Nullable(Description)),
  status: Type.Optional(
    Type.String({
      description: `One of: ${ENVIRONMENT_STATUSES.join(', ')}; callers set suspended and provisioned`,
    }),
  ),
  sidecar_url: Type.Optional(Type.String({ maxLength: 2048 })),
});
export type EnvironmentChange = Static<typeof EnvironmentPatch>;

export const Environment = Closed({
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
  pending_sync_count: Count,
  building: Type.Boolean(),
  image_url: Nullable(Type.String()),
  sidecar_version: Nullable(Type.String()),
  sidecar_code_digest: Nullable(Type.String()),
  last_upgrade_at: Nullable(Timestamp),
  hostname: Nullable(Type.String()),
  mesh_address: Nullable(Type.String()),
  last_contact_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type EnvironmentView = Static<typeof Environment>;

export const Image = Closed({ env_id: Uuid, image_url: Nullable(Type.String()) });

export const ReauthStatus = Closed({
  checked: Count,
  dormant: Count,
  expired: Type.Array(
    Closed({ workstation_id: Uuid, name: Type.String(), runtime: Type.String(), since: Timestamp }),
  ),
});
export type ReauthView = Static<typeof ReauthStatus>;

export const TimelineQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  before: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only entries older than the one with this id' }),
  ),
});
export const Timeline = Closed({
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
});
export type TimelineView = Static<typeof Timeline>;

// --- machine updates --------------------------------------------------------------------------

const UPDATE_STATUSES = ['queued', 'running', 'done', 'failed'] as const;

const updateRequest = {
  id: Uuid,
  machine_id: Uuid,
  machine_name: Type.String(),
  status: OneOf(UPDATE_STATUSES),
  requested_by: Closed({ user_id: Type.Integer(), name: Type.String() }),
  requested_at: Timestamp,
  wait_for_idle: Type.Boolean(),
  error: Nullable(Type.String()),
} satisfies TProperties;

export const UpdateRequest = Closed(updateRequest);
export type UpdateView = Static<typeof UpdateRequest>;

export const UpdateRecord = Closed({
  ...updateRequest,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  from_version: Nullable(Type.String()),
  from_code_digest: Nullable(Type.String()),
  to_version: Nullable(Type.String()),
  to_code_digest: Nullable(Type.String()),
});
export type UpdateRecordView = Static<typeof UpdateRecord>;

export const UpdatesQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
});
export const UpdateList = Closed({ updates: Type.Array(UpdateRecord), total: Count });

export const UpdatesOfAll = Closed({
  requests: Type.Array(
    Closed({
      machine_id: Uuid,
      machine_name: Type.String(),
      status: OneOf(UPDATE_STATUSES),
      error: Nullable(Type.String()),
    }),
  ),
  queued: Count,
  failed: Count,
  requested_at: Timestamp,
});
export type UpdatesOfAllView = Static<typeof UpdatesOfAll>;

// --- spoken by desks --------------------------------------------------------------------------

export const HelloBody = Closed({
  env_id: Type.String({ format: 'uuid' }),
  hostname: Type.String({ maxLength: 255 }),
  installation_id: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
});
export const HelloAnswer = Closed({
  env_id: Uuid,
  name: Type.String(),
  runtime: OneOf(RUNTIMES),
  workspace_path: Type.String(),
  mesh: Type.Boolean(),
});

export const StepBody = Closed({
  step: Type.String({ minLength: 1, maxLength: 100 }),
  exit_code: Type.Optional(Nullable(Type.Integer({ minimum: -2147483648, maximum: 2147483647 }))),
  message: Type.Optional(Nullable(Type.String({ maxLength: 2000 }))),
});
export const MeshBody = Closed({
  public_key: Type.String({
    pattern: '^[A-Za-z0-9+/]{43}=$',
    rule: 'must be a WireGuard key: 32 bytes in base64',
  }),
});
export const MeshAnswer = Closed({
  address: Nullable(Type.String()),
  server_public_key: Nullable(Type.String()),
  endpoint: Nullable(Type.String()),
  allowed_ips: Nullable(Type.String()),
  keepalive: Nullable(Type.Integer()),
});
export type MeshView = Static<typeof MeshAnswer>;

export const SidecarBody = Closed({
  sidecar_url: Type.String({ minLength: 1, maxLength: 2048 }),
  version: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  code_digest: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
});
export const HeartbeatBody = Closed({});
export const Received = Closed({ received: Type.Literal(true) });

export const InstallerQuery = Type.Object({
  pat: Type.String({
    minLength: 1,
    maxLength: 512,
    pattern: '^[\\x21-\\x7e]+$',
    rule: 'must be the token of a desk',
  }),
  env_id: Type.String({ format: 'uuid' }),
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  runtime: Type.Optional(
    Type.Unsafe<(typeof RUNTIMES)[number]>(Type.String({ enum: [...RUNTIMES], default: 'claude_code' })),
  ),
});
