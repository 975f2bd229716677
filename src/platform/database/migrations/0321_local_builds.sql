-- A build that a person has on their own machine: no desk claims it, and silence says nothing about it.
alter table builds add column local boolean not null default false;
