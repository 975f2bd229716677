-- What boards, people, agents and projects are called is looked through for every search. In lower case; null where it has letters
-- beyond ASCII, of which the search alone knows how they are folded.
create function plain_name(name text) returns text
language sql immutable parallel safe
return case when octet_length(name) = char_length(name) then lower(name collate "C") end;

-- allowed: each is as short as a list of names, and written anew in a moment
alter table boards add column plain_name text generated always as (plain_name(name || ' ' || key)) stored;
-- allowed: as above
alter table users add column plain_name text generated always as (plain_name(full_name || ' ' || email::text)) stored;
-- allowed: as above
alter table agents add column plain_name text generated always as (plain_name(name || ' ' || agent_id)) stored;
-- allowed: as above
alter table projects add column plain_name text generated always as (plain_name(name || coalesce(' ' || repository_url, ''))) stored;

-- Beside the index of people by three letters in a row, which cannot find these.
-- allowed: as above
create index users_beyond_ascii on users (user_id) where plain_name is null;
