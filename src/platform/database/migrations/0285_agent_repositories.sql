-- Which agent stands for a program in a repository: every clone and worktree of it is the same agent, and two repositories of one
-- folder name are two. The repository is kept in the one spelling that all spellings of its address come to.
create table agent_repositories (
  brand_id integer not null references brands on delete cascade,
  program text not null,
  -- Addresses may be longer than what an index takes.
  repository_digest text not null,
  repository text not null,
  agent_id text not null references agents on delete cascade,
  created_at timestamptz not null,
  constraint agent_repositories_pkey primary key (brand_id, program, repository_digest),
  constraint agent_repositories_one_each unique (agent_id)
);

-- Codex has conversations of its own kind.
alter table memory_sources drop constraint memory_sources_type_known;
alter table memory_sources add constraint memory_sources_type_known
  check (source_type in ('openclaw', 'agentboard', 'claude_code', 'codex'));
-- Those of Codex were kept among Claude Code's until now, under names that told them apart.
update memory_conversations set source_type = 'codex', external_id = substr(external_id, 7)
where source_type = 'claude_code' and external_id ~ '^codex-[^/]+$' and external_id not like '%.jsonl';
