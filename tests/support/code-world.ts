import { join } from 'node:path';
import { startTestApp, type World } from './app.js';
import { ScratchRepository } from './scratch-repository.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Node {
  node_id: string;
  kind: string;
  path: string;
  symbol: string | null;
}

/** A workspace with its token, its repositories, and the requests that tests of code and lessons make. */
export class CodeWorld {
  #repositories = 0;

  private constructor(
    readonly world: World,
    readonly workspace: Awaited<ReturnType<World['workspace']>>,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<CodeWorld> {
    const world = await startTestApp({ env });
    return new CodeWorld(world, await world.workspace());
  }

  async another(): Promise<CodeWorld> {
    return new CodeWorld(this.world, await this.world.workspace());
  }

  async call<T = Record<string, never>>(
    method: Method,
    url: string,
    payload?: object,
    headers?: Record<string, string>,
  ) {
    const response = await this.world.inject({
      method,
      url,
      payload,
      headers: headers ?? this.workspace.bearer,
    });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return { status: response.statusCode, body: (isJson ? response.json() : response.body) as T };
  }

  /** Creates a repository in the folder of the workspace. */
  repository(name = `repository${++this.#repositories}`): ScratchRepository {
    return new ScratchRepository(
      join(this.world.config.repositoriesDir, String(this.workspace.brand.brand_id), name),
    );
  }

  async attach(repository: ScratchRepository, branch?: string): Promise<Project> {
    const { status, body } = await this.call<{ project_id: string }>('POST', '/api/v1/projects', {
      name: 'Code',
      repository: { url: repository.folder, ...(branch && { branch }) },
    });
    if (status !== 201) throw new Error(`attach: ${status} ${JSON.stringify(body)}`);
    return new Project(this, body.project_id, repository);
  }

  /** Creates and indexes a project whose repository holds these files. */
  async project(files: Record<string, string | Buffer>): Promise<Project> {
    const repository = this.repository();
    repository.save(files);
    const project = await this.attach(repository);
    await project.index();
    return project;
  }

  stop(): Promise<void> {
    return this.world.stop();
  }
}

export class Project {
  constructor(
    readonly code: CodeWorld,
    readonly id: string,
    readonly repository: ScratchRepository,
  ) {}

  async index() {
    await this.code.call('POST', `/api/v1/projects/${this.id}/index`);
    await this.code.world.runJob('project-index-wanted');
    const { body } = await this.code.call<{
      status: string;
      commit: string | null;
      files: number;
      nodes: number;
      edges: number;
      lessons: number;
      warnings: string[];
      error: string | null;
    }>('GET', `/api/v1/projects/${this.id}/index`);
    return body;
  }

  async save(files: Record<string, string | Buffer>): Promise<string> {
    const commit = this.repository.save(files);
    await this.index();
    return commit;
  }

  async nodes(query = ''): Promise<Node[]> {
    const { body } = await this.code.call<{ items: Node[] }>(
      'GET',
      `/api/v1/projects/${this.id}/nodes?limit=1000&${query}`,
    );
    return body.items;
  }

  async nodeId(path: string): Promise<string> {
    const [node] = await this.nodes(`path=${encodeURIComponent(path)}`);
    if (!node) throw new Error(`no node at ${path}`);
    return node.node_id;
  }
}

export function lesson(head: string, body = 'Keep it short.'): string {
  return `---\ntype: rule\n${head}\n---\n${body}\n`;
}
