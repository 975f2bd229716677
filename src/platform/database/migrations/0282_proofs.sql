-- What people without a password prove themselves by: a fresh sign-in at the provider, or a code that was mailed to them.
alter table sessions add column by_provider boolean not null default false;
alter table mfa_challenges add column by_provider boolean not null default false;

create table proof_codes (
  user_id integer constraint proof_codes_pkey primary key references users on delete cascade,
  sealed_code text not null,
  wrong_codes smallint not null default 0,
  expires_at timestamptz not null
);
