import { Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp, Uuid } from '../../http/schemas.js';
import { MEMBER_ROLES, PLANS, SCOPES } from '../../kernel/access.js';
import { ExpiresAt, Password, tokenFields } from '../identity/identity.schemas.js';

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', rule: 'must not be blank' });
const EMAIL = {
  minLength: 3,
  maxLength: 320,
  pattern: '^[^\\s@<>(),;:"\\\\]+@[^\\s@<>(),;:"\\\\]+$',
  rule: 'must be an e-mail address',
};
const Email = Type.String(EMAIL);

const brandFields = {
  name: Name,
  plan: OneOf(PLANS),
  subscription_active: Type.Boolean(),
  scope_ceiling: Type.Array(OneOf(SCOPES), { maxItems: 20 }),
  new_navigation: Type.Boolean(),
};

export const BrandBody = Closed({
  name: brandFields.name,
  plan: Type.Optional(brandFields.plan),
  subscription_active: Type.Optional(brandFields.subscription_active),
  scope_ceiling: Type.Optional(brandFields.scope_ceiling),
  new_navigation: Type.Optional(brandFields.new_navigation),
});
export const BrandPatch = Closed({ ...BrandBody.properties, name: Type.Optional(Name) });
export const Brand = Closed({ brand_id: Type.Integer(), ...brandFields, created_at: Timestamp });
export const BrandList = Closed({ brands: Type.Array(Brand), total: Type.Integer() });

export const UserBody = Closed({
  email: Email,
  full_name: Name,
  password: Type.Optional(Nullable(Password)),
  kind: Type.Optional(OneOf(['person', 'staff', 'service'])),
  mail_name: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$',
        rule: 'must have 3 to 30 lowercase letters, numbers or hyphens, and start and end with a letter or number',
      }),
    ),
  ),
  mail_address: Type.Optional(Nullable(Email)),
});
export const User = Closed({
  user_id: Type.Integer(),
  email: Type.String(),
  full_name: Type.String(),
  kind: Type.String(),
  has_password: Type.Boolean(),
  mail_address: Nullable(Type.String()),
  created_at: Timestamp,
});

export const MemberBody = Closed({
  role: Type.Optional(OneOf(MEMBER_ROLES)),
  position: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
});
export const Member = Closed({
  brand_id: Type.Integer(),
  user_id: Type.Integer(),
  role: OneOf(MEMBER_ROLES),
  position: Nullable(Type.String()),
  joined_at: Timestamp,
});

export const TokenBody = Closed({
  user_id: Type.Integer(),
  scopes: Type.Optional(Type.Array(OneOf(SCOPES), { maxItems: 20 })),
  name: Type.Optional(Name),
  expires_at: ExpiresAt,
});
export const Token = Closed({
  ...tokenFields,
  brand_id: Type.Integer(),
  user_id: Type.Integer(),
  token: Type.String(),
});

export const AgentBody = Closed({
  agent_id: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,255}$',
    rule: 'must have 1 to 255 letters, digits, _ or -',
  }),
  name: Type.Optional(Name),
  brand_id: Type.Optional(Nullable(Type.Integer())),
});
export const Agent = Closed({
  agent_id: Type.String(),
  name: Type.String(),
  brand_id: Nullable(Type.Integer()),
  created_at: Timestamp,
});

export const PackageBody = Closed({ name: Name, version: Type.String({ minLength: 1, maxLength: 100 }) });
export const Package = Closed({
  package_id: Uuid,
  brand_id: Type.Integer(),
  name: Type.String(),
  version: Type.String(),
  enabled: Type.Boolean(),
  installed_at: Timestamp,
});

export const FeedSourceBody = Closed({
  name: Name,
  url: Type.String({ minLength: 1, maxLength: 2000, format: 'uri' }),
});
export const FeedSource = Closed({
  feed_source_id: Uuid,
  brand_id: Type.Integer(),
  name: Type.String(),
  url: Type.String(),
  created_at: Timestamp,
});

const Template = Closed({
  runtime: Type.Optional(Type.String({ maxLength: 100 })),
  instructions: Type.Optional(Type.String({ maxLength: 100_000 })),
  packages: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 200 })),
});
const Repository = Closed({
  url: Type.String({ minLength: 1, maxLength: 2000 }),
  branch: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
});
const catalogFields = {
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  published: Type.Optional(Type.Boolean()),
  builder: Type.Optional(Type.Boolean()),
  template: Type.Optional(Nullable(Template)),
  repository: Type.Optional(Nullable(Repository)),
};
export const CatalogBody = Closed({ name: Name, ...catalogFields });
export const CatalogPatch = Closed({ name: Type.Optional(Name), ...catalogFields });
export const CatalogProfile = Closed({
  profile_id: Uuid,
  name: Type.String(),
  description: Type.String(),
  published: Type.Boolean(),
  builder: Type.Boolean(),
  template: Nullable(Template),
  repository: Nullable(Repository),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const JobRun = Closed({ job: Type.String(), processed: Type.Integer(), failed: Type.Integer() });

export const ClockBody = Closed({
  advance_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 10 * 366 * 86_400 })),
  freeze: Type.Optional(Type.Boolean()),
});
export const ClockState = Closed({ now: Timestamp });

export const AuditQuery = Type.Object({
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  brand_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
});
export const AuditPage = Closed({
  items: Type.Array(
    Closed({
      id: Type.String(),
      at: Timestamp,
      brand_id: Nullable(Type.Integer()),
      actor: Closed({
        kind: Type.String(),
        user_id: Nullable(Type.Integer()),
        token_id: Nullable(Type.String()),
      }),
      action: Type.String(),
      subject: Type.String(),
      details: Type.Object({}),
      request_id: Nullable(Type.String()),
    }),
  ),
  next_cursor: Nullable(Type.String()),
});
