import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './access.js';

/** What is known of the request that is being served. */
export interface RequestContext {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly caller: Caller;
}

const requests = new AsyncLocalStorage<RequestContext>();

/** Runs the work of one request; what it records can name the request without every room passing it on. */
export const withinRequest = <T>(request: RequestContext, work: () => T): T => requests.run(request, work);

/** Undefined in the background. */
export const currentRequest = (): RequestContext | undefined => requests.getStore();

/** What proved who is calling, by kind and id and never by its secret: `session:<id>`, `pat:<id>`, `build:<id>`, `desk:<id>`, `admin_key`. */
export function credentialOf(caller: Caller): string | null {
  switch (caller.kind) {
    case 'pat':
      return `pat:${caller.tokenId}`;
    case 'session':
      return `session:${caller.sessionId}`;
    case 'build':
      return `build:${caller.own.build_id}`;
    case 'desk':
      return `desk:${caller.deskId}`;
    case 'operator':
      return 'admin_key';
    case 'anonymous':
      return null;
  }
}
