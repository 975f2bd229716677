-- That the desk was told to stop a build, and why; what it has done until then is kept.
alter table builds add column stop_requested_at timestamptz;
alter table builds add column stop_reason text;
