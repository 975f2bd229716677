import { Guildhall, GuildhallError } from '../../../client/src/index.js';

/** The one door to the service: same origin, the browser's session, errors in the service's own words. */

export { GuildhallError };

const listeners = new Set<() => void>();

/** Told whenever the service no longer knows the session. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const OWN_REFUSALS = /^\/api\/v1\/auth\//;

/** Signing in answers 401 too, and there it says something else. */
async function fetchAndWatch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.status === 401 && !OWN_REFUSALS.test(String(input))) for (const tell of listeners) tell();
  return response;
}

/** A person sees at once that the service is busy, and decides what to do. */
export const guildhall = new Guildhall({ url: '', fetch: fetchAndWatch, retry: { times: 0 } });

/** Whatever went wrong, as something that can be shown. */
export const faultOf = (error: unknown): GuildhallError =>
  error instanceof GuildhallError ? error : new GuildhallError({ status: 0, detail: String(error) });
