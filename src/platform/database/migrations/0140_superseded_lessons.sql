-- A lesson that names its successor and no status is superseded; it used to be taken as live. Without a hash its file is
-- read again by the next pass or push, which puts right the few that say `status: live` all the same.
update lessons set status = 'superseded', content_hash = '' where superseded_by is not null and status = 'live';
