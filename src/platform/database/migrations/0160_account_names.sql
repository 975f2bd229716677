-- The one spelling under which an account is found, counted and invited (see src/kernel/account-names.ts). Plain addresses are
-- folded here; the few others are null until the program, which knows how, names them at its next start.

alter table users add column account_name text;
update users set account_name = lower(email::text collate "C")
where octet_length(email::text) = char_length(email::text);
alter table users add constraint users_account_name_unique unique (account_name);
create index users_without_account_name on users (user_id) where account_name is null;

alter table invitations add column account_name text;
update invitations set account_name = lower(email::text collate "C")
where octet_length(email::text) = char_length(email::text);
create unique index invitations_one_pending_account on invitations (brand_id, account_name) where status = 'pending';
create index invitations_without_account_name on invitations (id) where account_name is null;
