-- Files on cards and on comments. Their bytes lie in the storage of images, under the workspace and the id.

create table card_attachments (
  attachment_id uuid primary key,
  brand_id integer not null constraint card_attachments_brand references brands on delete cascade,
  card_id uuid not null constraint card_attachments_card references cards on delete cascade,
  comment_id uuid constraint card_attachments_comment references card_comments on delete cascade,
  name text not null,
  content_type text not null,
  bytes integer not null,
  has_thumbnail boolean not null,
  author_user_id integer constraint card_attachments_author references users on delete set null,
  author_agent_id text,
  by_guest boolean not null,
  created_at timestamptz not null
);
create index card_attachments_by_brand on card_attachments (brand_id);
create index card_attachments_by_card on card_attachments (card_id, created_at, attachment_id);
create index card_attachments_by_comment on card_attachments (comment_id) where comment_id is not null;
create index card_attachments_by_author on card_attachments (author_user_id, attachment_id);

-- How much a workspace keeps, so that nobody has to add it up.
create table attachment_tallies (
  brand_id integer not null constraint attachment_tallies_brand references brands on delete cascade,
  bytes bigint not null,
  constraint attachment_tallies_pkey primary key (brand_id)
);

-- What may lie in the storage and belongs to nothing: noted before the first byte is sent there, and by whatever removes an attachment.
create table leftover_files (
  file_key text not null,
  due_at timestamptz not null,
  constraint leftover_files_pkey primary key (file_key)
);
create index leftover_files_by_due on leftover_files (due_at);

create function leave_attachment_files() returns trigger language plpgsql as $$
begin
  insert into leftover_files (file_key, due_at)
  select 'attachments/' || brand_id || '/' || attachment_id, '-infinity' from gone
  on conflict (file_key) do update set due_at = excluded.due_at;
  update attachment_tallies t set bytes = t.bytes - g.bytes
  from (select brand_id, sum(bytes) as bytes from gone group by brand_id) g
  where t.brand_id = g.brand_id;
  return null;
end $$;
create trigger card_attachments_gone after delete on card_attachments
  referencing old table as gone for each statement execute function leave_attachment_files();
