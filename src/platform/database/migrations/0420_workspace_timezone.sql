-- In which time zone the days and months of a workspace begin: an IANA name, judged by the program.
alter table brands add column timezone text not null default 'UTC';
