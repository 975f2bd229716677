import type pg from 'pg';

interface AttachedProject {
  project_id: string;
  brand_id: number;
  name: string;
  repository_url: string;
}

/** For a restore, which runs before the service starts. */
export const restoredProjectStore = (client: pg.ClientBase) => ({
  async exists(): Promise<boolean> {
    const { rows } = await client.query<{ exists: boolean }>(
      "select to_regclass('public.projects') is not null as exists",
    );
    return rows[0]!.exists;
  },

  /** Pages by id, only addresses that may be local paths. */
  async listAttached(after: string, limit: number): Promise<AttachedProject[]> {
    const { rows } = await client.query<AttachedProject>(
      `select project_id, brand_id, name, repository_url from public.projects
       where project_id > $1 and repository_url is not null and repository_url not like '%://%'
       order by project_id limit $2`,
      [after, limit],
    );
    return rows;
  },

  async readdress(projectId: string, url: string): Promise<void> {
    await client.query('update public.projects set repository_url = $2 where project_id = $1', [
      projectId,
      url,
    ]);
  },
});
