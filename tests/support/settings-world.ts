import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestApp, type World } from './app.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Workspace = Awaited<ReturnType<World['workspace']>>;
export type SettingsWorld = Awaited<ReturnType<typeof startSettingsWorld>>;

/** A service with the requests that all tests of workspace settings make. */
export async function startSettingsWorld(env: Record<string, string> = {}) {
  const world = await startTestApp({ env });

  return {
    ...world,

    /** Sends a request below the workspace, by default with its admin's token. */
    async ask(
      workspace: Workspace,
      method: Method,
      path: string,
      payload?: object,
      headers: object = workspace.bearer,
    ) {
      const url = `/api/v1/brands/${workspace.brand.brand_id}${path}`;
      const response = await world.inject({ method, url, headers: { ...headers }, payload });
      return [response.statusCode, response.body === '' ? undefined : response.json()];
    },

    async upload(workspace: Workspace, userId: number | string, file: Buffer, fieldName = 'file') {
      const boundary = 'guildhall-test';
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${fieldName}"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`;
      const response = await world.inject({
        method: 'POST',
        url: `/api/v1/brands/${workspace.brand.brand_id}/members/${userId}/photo`,
        headers: { ...workspace.bearer, 'content-type': `multipart/form-data; boundary=${boundary}` },
        payload: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
      });
      return [response.statusCode, response.json()];
    },

    async memberBearer({ brand }: Workspace, scopes: Parameters<typeof world.token>[2] = undefined) {
      return { authorization: `Bearer ${await world.token(brand, await world.member(brand), scopes)}` };
    },

    /** Returns the mails sent, oldest first, with soft line breaks removed. */
    async outbox(): Promise<string[]> {
      const folder = join(world.config.dataDir, 'outbox');
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
      const letters = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return letters.map((letter) => letter.replace(/=\r?\n/g, '').replaceAll('=3D', '='));
    },
  };
}

export const refused = (status: number, detail: unknown) => [status, { detail }];
