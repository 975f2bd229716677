-- Somebody can be invited as a guest: what they will be able to open waits with the invitation.

alter table invitations drop constraint invitations_role_known;
alter table invitations add constraint invitations_role_known check (role in ('admin', 'member', 'guest'));
create index invitations_by_account on invitations (account_name);

create table invitation_grants (
  invitation_id integer not null constraint invitation_grants_invitation references invitations (id) on delete cascade,
  brand_id integer not null constraint invitation_grants_brand references brands (brand_id) on delete cascade,
  kind text not null constraint invitation_grants_kind_known check (kind in ('board', 'docs')),
  resource_id uuid not null,
  role text not null constraint invitation_grants_role_known check (role in ('viewer', 'commenter', 'editor')),
  -- A grant that joined a pending invitation was mailed with a link of its own; the link of the first letter works too.
  token_hash text constraint invitation_grants_token_unique unique,
  created_at timestamptz not null,
  constraint invitation_grants_pkey primary key (invitation_id, kind, resource_id)
);
create index invitation_grants_by_place on invitation_grants (kind, resource_id);
create index invitation_grants_by_brand on invitation_grants (brand_id);
