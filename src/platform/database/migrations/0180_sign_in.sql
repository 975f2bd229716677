-- What sign-in needs beside a password: where sessions are used, second factors, other providers, forgotten passwords.

alter table brands add column require_mfa boolean not null default false;

-- Null in rows of a node that does not know these columns yet: such a session was last seen when it was made.
alter table sessions add column last_seen_at timestamptz;
-- When the person proved who they are; a session that another workspace was switched to is younger than that.
alter table sessions add column signed_in_at timestamptz;
alter table sessions add column address text;
alter table sessions add column agent text;

-- The secret is sealed. Not confirmed: the person has not shown yet that they can make codes of it.
create table totp_factors (
  user_id integer primary key references users on delete cascade,
  sealed_secret text not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  -- Codes of this step of time and of those before it have been used up.
  last_step bigint
);

create table recovery_codes (
  user_id integer not null references users on delete cascade,
  code_hash text not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Between the password and the code.
create table mfa_challenges (
  challenge_hash text primary key,
  user_id integer not null references users on delete cascade,
  brand_id integer not null references brands on delete cascade,
  wrong_codes integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index mfa_challenges_by_user on mfa_challenges (user_id, created_at);
create index mfa_challenges_by_brand on mfa_challenges (brand_id);
create index mfa_challenges_by_expiry on mfa_challenges (expires_at);

-- Who somebody is at the provider. Addresses change hands, subjects do not.
create table oidc_accounts (
  issuer text not null,
  subject text not null,
  user_id integer not null references users on delete cascade,
  created_at timestamptz not null,
  constraint oidc_accounts_pkey primary key (issuer, subject)
);
create index oidc_accounts_by_user on oidc_accounts (user_id);

-- Asked for by anybody, for whatever name they typed; the letter is written later, so that the answer takes equally long.
create table password_reset_requests (
  request_id bigint generated always as identity primary key,
  account_name text not null,
  address text,
  requested_at timestamptz not null,
  claimed_at timestamptz
);
