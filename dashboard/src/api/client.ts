import { Guildhall, GuildhallError } from '../../../client/src/index.js';

/** The API client of the dashboard: same origin, session cookie, errors as the service words them. */

export { GuildhallError };

type Occasion = 'signed-out' | 'refused';
const listeners: Record<Occasion, Set<() => void>> = { 'signed-out': new Set(), refused: new Set() };

/** Subscribes to 401 (the session has expired) or 403 responses (the user's role may have changed). */
export function onOccasion(occasion: Occasion, listener: () => void): () => void {
  listeners[occasion].add(listener);
  return () => listeners[occasion].delete(listener);
}

const OWN_REFUSALS = /^\/api\/v1\/auth\//;

/** Sign-in endpoints also return 401 for wrong credentials. */
export const watched =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    const occasion = { 401: 'signed-out', 403: 'refused' }[response.status] as Occasion | undefined;
    if (occasion && !OWN_REFUSALS.test(String(input))) for (const notify of listeners[occasion]) notify();
    return response;
  };

/** No retries: users see immediately that the service is busy and decide for themselves. */
export const guildhall = new Guildhall({
  url: '',
  fetch: watched((...args) => fetch(...args)),
  retry: { times: 0 },
});

/** Converts any error to a displayable one. */
export const faultOf = (error: unknown): GuildhallError =>
  error instanceof GuildhallError ? error : new GuildhallError({ status: 0, detail: String(error) });
