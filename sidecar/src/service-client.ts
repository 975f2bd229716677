import type { DeskConfig } from './desk-files.js';

const TIMEOUT_MS = 10_000;

/** Speaks to the service with the desk's own token. */
export class ServiceClient {
  constructor(private readonly config: Pick<DeskConfig, 'url' | 'pat'>) {}

  registerSidecar(registration: {
    sidecar_url: string;
    version: string;
    code_digest: string;
  }): Promise<number> {
    return this.#post('sidecar', registration);
  }

  sendHeartbeat(): Promise<number> {
    return this.#post('heartbeat', {});
  }

  /** The status of the answer, or 0 when there was none. */
  async #post(name: string, body: object): Promise<number> {
    try {
      const response = await fetch(`${this.config.url.replace(/\/+$/, '')}/api/v1/desk/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.config.pat}`, 'content-type': 'application/json' },
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
}
