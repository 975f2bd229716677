import { Guildhall, GuildhallError } from '../../../client/src/index.js';

/** The one door to the service: same origin, the browser's session, errors in the service's own words. */

export { GuildhallError };

type Occasion = 'signed-out' | 'refused';
const listeners: Record<Occasion, Set<() => void>> = { 'signed-out': new Set(), refused: new Set() };

/**
 * Told whenever the service no longer knows the session, or refuses something to whoever has it: somebody may have
 * given the person another role meanwhile.
 */
export function onOccasion(occasion: Occasion, listener: () => void): () => void {
  listeners[occasion].add(listener);
  return () => listeners[occasion].delete(listener);
}

const OWN_REFUSALS = /^\/api\/v1\/auth\//;

/** Signing in answers 401 too, and there it says something else. */
export const watched =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    const occasion = { 401: 'signed-out', 403: 'refused' }[response.status] as Occasion | undefined;
    if (occasion && !OWN_REFUSALS.test(String(input))) for (const tell of listeners[occasion]) tell();
    return response;
  };

/** A person sees at once that the service is busy, and decides what to do. */
export const guildhall = new Guildhall({
  url: '',
  fetch: watched((...args) => fetch(...args)),
  retry: { times: 0 },
});

/** Whatever went wrong, as something that can be shown. */
export const faultOf = (error: unknown): GuildhallError =>
  error instanceof GuildhallError ? error : new GuildhallError({ status: 0, detail: String(error) });
