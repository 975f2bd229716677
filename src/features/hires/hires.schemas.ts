import { type Static, Type } from 'typebox';
import { Closed, Named, Nullable, OneOf, Timestamp, Uuid } from '../../platform/http/declaration/schemas.js';

/** Accepts any JSON: a workspace's own hire ignores its body, and only the service knows the kind of hire. */
export const HireBodySchema = Type.Unsafe<unknown>({
  'x-any-json': true,
  description: 'For grants; else ignored.',
  properties: {
    brand_id: { description: 'The workspace that gets the employee (an integer); a grant needs it' },
    comp_reason: { description: 'Why it is granted (a string)' },
  },
});

export const GrantSchema = Closed({
  brand_id: Type.Integer(),
  comp_reason: Type.Optional(Type.String({ maxLength: 2000 })),
});
export type Grant = Static<typeof GrantSchema>;

export const HiredSchema = Named(
  'StartedHire',
  Closed({
    hire_id: Uuid,
    status: OneOf(['provisioning']),
    onboarding_url: Type.String(),
  }),
);
export type Hired = Static<typeof HiredSchema>;

const StepSchema = Named(
  'HireStep',
  Closed({
    key: OneOf(['agent', 'packages', 'desk', 'workspace']),
    title: Type.String(),
    state: OneOf(['pending', 'done', 'failed', 'blocked']),
    reason: Nullable(Type.String()),
    done: Type.Boolean(),
  }),
);
export type Step = Static<typeof StepSchema>;

export const HireSchema = Named(
  'Hire',
  Closed({
    hire_id: Uuid,
    profile_id: Uuid,
    brand_id: Type.Integer(),
    status: OneOf(['provisioning', 'active', 'canceled']),
    agent_id: Nullable(Type.String()),
    workstation_id: Nullable(Uuid),
    current_period_end: Timestamp,
    cancel_at_period_end: Type.Boolean(),
    effective_at: Nullable(Timestamp),
    created_at: Timestamp,
    onboarding_url: Type.String(),
    comp_reason: Nullable(Type.String()),
    error: Nullable(Type.String()),
    steps: Type.Array(StepSchema),
  }),
);

export const HiresSchema = Named(
  'HireList',
  Closed({ hires: Type.Array(HireSchema), total: Type.Integer() }),
);

export const ListQuerySchema = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 100, description: 'How many on a page.' }),
  ),
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Which page, from 1.' }),
  ),
});

const EmployeeSchema = Named(
  'Employee',
  Closed({
    profile_id: Uuid,
    name: Type.String(),
    description: Type.String(),
    portrait: Type.String(),
    builder: Type.Boolean(),
    deployable: Type.Boolean(),
    packages: Type.Array(Type.String()),
    repository: Nullable(Closed({ url: Type.String(), branch: Nullable(Type.String()) })),
    existing_hire_id: Nullable(Uuid),
    price_usd: Type.Optional(
      Type.Number({
        description: 'For 30 days; missing: the subscription includes it.',
      }),
    ),
  }),
);
export type Employee = Static<typeof EmployeeSchema>;

export const EmployeesSchema = Named(
  'EmployeeList',
  Closed({ employees: Type.Array(EmployeeSchema), total: Type.Integer() }),
);

export const CanceledSchema = Named(
  'CanceledHire',
  Closed({
    hire_id: Uuid,
    status: OneOf(['canceled']),
    cancel_at_period_end: Type.Boolean(),
    effective_at: Timestamp,
    marketplace_disable_at: Timestamp,
  }),
);

export const CanceledNowSchema = Named(
  'CanceledHireNow',
  Closed({
    hire_id: Uuid,
    status: OneOf(['canceled']),
    effective_at: Timestamp,
    marketplace_disable_at: Timestamp,
    installs_disabled: Type.Integer(),
    installs_retained: Type.Integer(),
    management_record_deleted: Type.Boolean(),
    gateway_entry_removed: Type.Boolean({ description: 'Always false from a cancel' }),
    agent_torn_down: Type.Boolean({ description: 'Always false', deprecated: true }),
  }),
);

export const GrantsSchema = Named(
  'AgentGrants',
  Closed({
    agent_id: Type.String(),
    tools: Type.Array(Closed({ package: Type.String(), enabled: Type.Boolean() })),
    cached_until: Timestamp,
  }),
);
export type Grants = Static<typeof GrantsSchema>;

export const AlreadyHiredDetail = Named(
  'AlreadyHired',
  Closed({
    error: OneOf(['already_hired']),
    existing_hire_id: Uuid,
    message: Type.String(),
  }),
);
