import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { mayHaveWords } from '../../../platform/database/schema/sql-fragments.js';

export interface NewAgent {
  agent_id: string;
  name: string;
  /** Null for an agent of the platform. */
  brand_id: number | null;
  created_at: Date;
}

export type AgentName = Pick<NewAgent, 'agent_id' | 'name'>;

/** The digest is made from the normalized address of the repository. */
export interface RepositoryKey {
  program: string;
  digest: string;
}

export function agentStore(db: Db, brandId: number) {
  return {
    /** Whether the workspace owns the agent; an agent without an owner becomes the workspace's. */
    async claim({
      agentId,
      name = agentId,
      now,
    }: {
      agentId: string;
      name?: string;
      now: Date;
    }): Promise<boolean> {
      if (await this.owns(agentId)) return true;
      await sql`
        insert into agents (agent_id, name, brand_id, created_at) values (${agentId}, ${name}, ${brandId}, ${now})
        on conflict (agent_id) do nothing`.execute(db);
      return this.owns(agentId);
    },

    async owns(agentId: string): Promise<boolean> {
      const { rows } =
        await sql`select from agents where agent_id = ${agentId} and brand_id = ${brandId}`.execute(db);
      return rows.length > 0;
    },

    async findForRepository({ program, digest }: RepositoryKey): Promise<string | undefined> {
      const { rows } = await sql<{ agent_id: string }>`
        select agent_id from agent_repositories
        where brand_id = ${brandId} and program = ${program} and repository_digest = ${digest}`.execute(db);
      return rows[0]?.agent_id;
    },

    /** Serializes binding a workspace's repositories to agents until the transaction ends. */
    async lockRepositories(): Promise<void> {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`agent-repositories:${brandId}`}, 0))`.execute(
        db,
      );
    },

    /**
     * False when the agent belongs to another workspace, the platform or a hire, or to another repository.
     */
    async bindToRepository(
      agentId: string,
      { program, digest, repository }: RepositoryKey & { repository: string },
      now: Date,
    ): Promise<boolean> {
      await sql`
        insert into agents (agent_id, name, brand_id, created_at) values (${agentId}, ${agentId}, ${brandId}, ${now})
        on conflict (agent_id) do nothing`.execute(db);
      const { rows } = await sql`
        insert into agent_repositories (brand_id, program, repository_digest, repository, agent_id, created_at)
        select ${brandId}, ${program}, ${digest}, ${repository}, agent_id, ${now} from agents
        where agent_id = ${agentId} and brand_id = ${brandId} and name = agent_id
        on conflict (agent_id) do nothing
        returning agent_id`.execute(db);
      return rows.length > 0;
    },

    async listNames(words: readonly string[], limit: number): Promise<AgentName[]> {
      const { rows } = await sql<AgentName>`
        select agent_id, name from agents
        where brand_id = ${brandId} and ${mayHaveWords(sql`agents`, words)}
        order by agent_id limit ${limit}`.execute(db);
      return rows;
    },

    async list(limit: number): Promise<{ agents: AgentName[]; total: number }> {
      const agents = await sql<AgentName>`
        select agent_id, name from agents where brand_id = ${brandId} order by agent_id limit ${limit}`.execute(
        db,
      );
      const total = await sql<{
        total: number;
      }>`select count(*) as total from agents where brand_id = ${brandId}`.execute(db);
      return { agents: agents.rows, total: total.rows[0]!.total };
    },
  };
}

/** For the operator and background jobs, which work across workspaces. */
export function agentRegistry(db: Db) {
  return {
    insert: (agent: NewAgent) =>
      db
        .insertInto('agents')
        .values(agent)
        .returning(['agent_id', 'name', 'brand_id', 'created_at'])
        .executeTakeFirstOrThrow(),

    /** Null marks the directory as existing again. */
    async setDirectoryRemoved(agentId: string, at: Date | null): Promise<void> {
      await sql`update agents set directory_removed_at = ${at} where agent_id = ${agentId}`.execute(db);
    },
  };
}

/**
 * Serializes learning, consolidation, export and deletion for this agent on all nodes until the transaction
 * ends.
 */
export async function lockAgent(tx: Tx, agentId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`memory-agent:${agentId}`}, 0))`.execute(tx);
}
