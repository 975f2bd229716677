import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { faultOf, GuildhallError, onSignedOut } from '../api/client.js';
import { readSession, type Session } from '../api/identity.js';
import { forgetEverything, refresh } from '../api/resource.js';

export type SessionState =
  | { kind: 'loading' }
  | { kind: 'failed'; fault: GuildhallError }
  | { kind: 'none' }
  /** `ended`: the service no longer knows the session; the page stays as it is until the person signs in again. */
  | { kind: 'signed-in'; session: Session; ended: boolean };

interface SessionHandle {
  state: SessionState;
  /** Asks the service again who is signed in. */
  check(): Promise<void>;
  end(): void;
}

const SessionContext = createContext<SessionHandle | undefined>(undefined);

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ kind: 'loading' });
  const known = useRef<Session>(undefined);

  const check = useCallback(async () => {
    try {
      const session = await readSession();
      if (known.current && isSame(known.current, session)) refresh('');
      else forgetEverything();
      known.current = session;
      setState({ kind: 'signed-in', session, ended: false });
    } catch (error) {
      if (error instanceof GuildhallError && error.status === 401) setState({ kind: 'none' });
      else setState({ kind: 'failed', fault: faultOf(error) });
    }
  }, []);

  const end = useCallback(() => {
    forgetEverything();
    known.current = undefined;
    setState({ kind: 'none' });
  }, []);

  useEffect(() => {
    void check();
    return onSignedOut(() =>
      setState((before) => (before.kind === 'signed-in' ? { ...before, ended: true } : before)),
    );
  }, [check]);

  return <SessionContext.Provider value={{ state, check, end }}>{children}</SessionContext.Provider>;
}

/** Somebody else, or the same person elsewhere, must see nothing of what was read before. */
const isSame = (before: Session, after: Session): boolean =>
  before.user.user_id === after.user.user_id && before.brand.brand_id === after.brand.brand_id;

export function useSessionState(): SessionHandle {
  const handle = useContext(SessionContext);
  if (!handle) throw new Error('There is no session provider above');
  return handle;
}

/** Who is signed in; only for pages behind the sign-in. */
export function useSession(): Session {
  const { state } = useSessionState();
  if (state.kind !== 'signed-in') throw new Error('Nobody is signed in');
  return state.session;
}

export const useIsAdmin = (): boolean => useSession().role === 'admin';
export const useIsGuest = (): boolean => useSession().role === 'guest';
