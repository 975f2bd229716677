import type { DeskConfig } from './desk-files.js';

const TIMEOUT_MS = 10_000;

/** Speaks to the service with the desk's own token. */
export function createServiceClient({ url, pat }: Pick<DeskConfig, 'url' | 'pat'>) {
  /** The status of the answer, or 0 when there was none. */
  async function post(name: string, body: object): Promise<number> {
    try {
      const response = await fetch(`${url.replace(/\/+$/, '')}/api/v1/desk/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${pat}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }

  return {
    registerSidecar: (registration: { sidecar_url: string; version: string; code_digest: string }) =>
      post('sidecar', registration),
    sendHeartbeat: () => post('heartbeat', {}),
  };
}
