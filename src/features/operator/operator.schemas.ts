import { Type } from 'typebox';
import { MEMBER_ROLES, PLANS } from '../../kernel/access.js';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  SingleLineName,
  searchText,
  Timestamp,
  Uuid,
  WorkspaceName,
} from '../../platform/http/declaration/schemas.js';
import {
  Email,
  ExpiresAt,
  Password,
  ScopeCeiling,
  ScopeName,
  TokenAgent,
  tokenFields,
} from '../identity/index.js';

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', rule: 'must not be blank' });

const brandFields = {
  name: WorkspaceName,
  plan: Named('PlanName', OneOf(PLANS, { description: 'The plan, which sets limits. Default: `team`.' })),
  subscription_active: Type.Boolean({
    description: 'Whether the workspace can hire. Default: true.',
  }),
  scope_ceiling: ScopeCeiling,
  new_navigation: Type.Boolean({ description: 'true unless said.' }),
};

export const BrandBody = Named(
  'WorkspaceInput',
  Closed({
    name: brandFields.name,
    plan: Type.Optional(brandFields.plan),
    subscription_active: Type.Optional(brandFields.subscription_active),
    scope_ceiling: Type.Optional(brandFields.scope_ceiling),
    new_navigation: Type.Optional(brandFields.new_navigation),
  }),
);
export const BrandPatch = Named(
  'WorkspacePatch',
  Closed({ ...BrandBody.properties, name: Type.Optional(WorkspaceName) }),
);
export const Brand = Named(
  'Workspace',
  Closed({ brand_id: Type.Integer(), ...brandFields, created_at: Timestamp }),
);
export const BrandsQuery = Type.Object({
  query: Type.Optional(searchText('Only with this text in their name.', { minLength: 1, maxLength: 200 })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: 'How many on a page; all unless said.' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
});

export const BrandList = Named(
  'WorkspaceList',
  Closed({ brands: Type.Array(Brand), total: Type.Integer(), next_cursor: Nullable(Type.String()) }),
);

export const UserBody = Named(
  'UserInput',
  Closed({
    email: Described('For sign-in; unique on the server.', Email),
    full_name: Described('Their name.', SingleLineName),
    password: Type.Optional(Nullable(Password, { description: 'Without one they cannot sign in yet.' })),
    kind: Type.Optional(
      OneOf(['person', 'staff', 'service'], {
        description: '`person` unless said; `staff` serves the platform too, `service` is a program.',
      }),
    ),
    mail_name: Type.Optional(
      Nullable(
        Type.String({
          pattern: '^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$',
          rule: 'must have 3 to 30 lowercase letters, numbers or hyphens, and start and end with a letter or number',
        }),
        { description: 'Their name on the mail domain.' },
      ),
    ),
    mail_address: Type.Optional(Nullable(Email, { description: 'A whole address elsewhere.' })),
  }),
);
export const User = Named(
  'User',
  Closed({
    user_id: Type.Integer(),
    email: Type.String(),
    full_name: Type.String(),
    kind: Type.String(),
    has_password: Type.Boolean(),
    mail_address: Nullable(Type.String()),
    created_at: Timestamp,
  }),
);

export const MemberBody = Named(
  'MembershipInput',
  Closed({
    role: Type.Optional(OneOf(MEMBER_ROLES, { description: '`member` unless said.' })),
    position: Type.Optional(
      Nullable(Type.String({ maxLength: 200 }), { description: 'Their part in the team.' }),
    ),
  }),
);
export const Member = Named(
  'Membership',
  Closed({
    brand_id: Type.Integer(),
    user_id: Type.Integer(),
    role: OneOf(MEMBER_ROLES),
    position: Nullable(Type.String()),
    joined_at: Timestamp,
  }),
);

export const TokenBody = Named(
  'IssueToken',
  Closed({
    user_id: Type.Integer({ description: 'Its owner, a member.' }),
    scopes: Type.Optional(
      Type.Array(ScopeName, { maxItems: 20, description: "Within the workspace's ceiling." }),
    ),
    name: Type.Optional(Described('A name to recognize the token.', Name)),
    expires_at: Described('When it ends; null or left out: never.', ExpiresAt),
    agent_id: TokenAgent,
  }),
);
export const Token = Named(
  'IssuedToken',
  Closed({
    ...tokenFields,
    brand_id: Type.Integer(),
    user_id: Type.Integer(),
    token: Type.String(),
  }),
);

export const AgentBody = Named(
  'AgentInput',
  Closed({
    agent_id: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,255}$',
      rule: 'must have 1 to 255 letters, digits, _ or -',
      description: 'Unique over the server.',
    }),
    name: Type.Optional(Described('Its id unless said.', Name)),
    brand_id: Type.Optional(
      Nullable(Type.Integer(), {
        description: 'Its workspace; null or left out: the platform.',
      }),
    ),
  }),
);
export const Agent = Named(
  'RegisteredAgent',
  Closed({
    agent_id: Type.String(),
    name: Type.String(),
    brand_id: Nullable(Type.Integer()),
    created_at: Timestamp,
  }),
);

export const PackageBody = Named(
  'PackageInput',
  Closed({
    name: Described('Its name in the marketplace.', Name),
    version: Type.String({ minLength: 1, maxLength: 100, description: 'Such as `1.4.0`.' }),
  }),
);
export const Package = Named(
  'Package',
  Closed({
    package_id: Uuid,
    brand_id: Type.Integer(),
    name: Type.String(),
    version: Type.String(),
    enabled: Type.Boolean(),
    installed_at: Timestamp,
  }),
);

export const FeedSourceBody = Named(
  'FeedSourceInput',
  Closed({
    name: Described('Its name.', Name),
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      format: 'uri',
      description: 'Where the feed is read.',
    }),
  }),
);
export const FeedSource = Named(
  'FeedSource',
  Closed({
    feed_source_id: Uuid,
    brand_id: Type.Integer(),
    name: Type.String(),
    url: Type.String(),
    created_at: Timestamp,
  }),
);

const Template = Named(
  'EmployeeTemplate',
  Closed({
    runtime: Type.Optional(Type.String({ maxLength: 100, description: 'Such as `claude_code`.' })),
    instructions: Type.Optional(Type.String({ maxLength: 100_000, description: 'The instructions.' })),
    packages: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 200,
        description: 'The packages it needs.',
      }),
    ),
  }),
);
const Repository = Named(
  'EmployeeRepository',
  Closed({
    url: Type.String({ minLength: 1, maxLength: 2000, description: 'Where its code is.' }),
    branch: Type.Optional(
      Nullable(Type.String({ maxLength: 255 }), { description: "Null: the repository's default." }),
    ),
  }),
);
const catalogFields = {
  description: Type.Optional(
    Type.String({ maxLength: 10_000, description: 'The description shown in the catalog.' }),
  ),
  published: Type.Optional(Type.Boolean({ description: 'Whether workspaces see it.' })),
  builder: Type.Optional(Type.Boolean({ description: 'Whether a hire comes with a desk.' })),
  template: Type.Optional(Nullable(Template, { description: 'Without one it cannot be hired.' })),
  repository: Type.Optional(Nullable(Repository, { description: 'The repository that a builder works on.' })),
  price_usd: Type.Optional(
    Nullable(Type.Number({ minimum: 0, maximum: 1_000_000 }), {
      description: 'For 30 days; null: the subscription includes it.',
    }),
  ),
};
export const CatalogBody = Named(
  'EmployeeInput',
  Closed({ name: Described('Its name.', Name), ...catalogFields }),
);
export const CatalogPatch = Named(
  'EmployeePatch',
  Closed({ name: Type.Optional(Described('Its name.', Name)), ...catalogFields }),
);
export const CatalogProfile = Named(
  'CatalogEmployee',
  Closed({
    profile_id: Uuid,
    name: Type.String(),
    description: Type.String(),
    published: Type.Boolean(),
    builder: Type.Boolean(),
    template: Nullable(Template),
    repository: Nullable(Repository),
    created_at: Timestamp,
    updated_at: Timestamp,
    price_usd: Type.Optional(Type.Number()),
  }),
);

export const JobRun = Named(
  'JobRun',
  Closed({ job: Type.String(), processed: Type.Integer(), failed: Type.Integer() }),
);

export const ClockBody = Named(
  'ClockChange',
  Closed({
    advance_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 10 * 366 * 86_400,
        description: 'How far forward.',
      }),
    ),
    freeze: Type.Optional(Type.Boolean({ description: 'true stops the clock, false lets it run.' })),
  }),
);
export const ClockState = Named('Clock', Closed({ now: Timestamp }));

export const AuditQuery = Type.Object({
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'How many on a page.' })),
  brand_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Only what happened in this workspace.',
    }),
  ),
  action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only this action, such as `member.removed`.' }),
  ),
});
export const AuditPage = Named(
  'AuditPage',
  Closed({
    items: Type.Array(
      Closed({
        id: Type.String(),
        at: Timestamp,
        brand_id: Nullable(Type.Integer()),
        actor: Closed({
          kind: Type.String(),
          user_id: Nullable(Type.Integer()),
          token_id: Nullable(Type.String()),
          agent_id: Nullable(Type.String()),
        }),
        action: Type.String(),
        subject: Type.String(),
        details: Type.Object({}),
        request_id: Nullable(Type.String()),
        address: Nullable(Type.String()),
        credential: Nullable(Type.String()),
      }),
    ),
    next_cursor: Nullable(Type.String()),
  }),
);

export const WorkspaceMembers = Named(
  'WorkspaceMembers',
  Closed({
    members: Type.Array(
      Closed({
        user_id: Type.Integer(),
        email: Type.String(),
        full_name: Type.String(),
        role: OneOf(MEMBER_ROLES),
        position: Nullable(Type.String()),
        joined_at: Timestamp,
      }),
    ),
    total: Type.Integer(),
  }),
);

export const WorkspaceTokens = Named(
  'WorkspaceTokens',
  Closed({
    tokens: Type.Array(Closed({ ...tokenFields, user_id: Type.Integer(), full_name: Type.String() })),
    total: Type.Integer(),
  }),
);
