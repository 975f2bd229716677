import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { faultOf, GuildhallError, onSignedOut } from '../api/client.js';
import { readSession, type Session } from '../api/identity.js';
import { forgetEverything } from '../api/resource.js';

export type SessionState =
  | { kind: 'loading' }
  | { kind: 'failed'; fault: GuildhallError }
  | { kind: 'none' }
  | { kind: 'signed-in'; session: Session };

interface SessionHandle {
  state: SessionState;
  /** Asks the service again who is signed in. */
  check(): Promise<void>;
  end(): void;
}

const SessionContext = createContext<SessionHandle | undefined>(undefined);

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ kind: 'loading' });

  async function check() {
    try {
      const session = await readSession();
      forgetEverything();
      setState({ kind: 'signed-in', session });
    } catch (error) {
      if (error instanceof GuildhallError && error.status === 401) setState({ kind: 'none' });
      else
        setState({
          kind: 'failed',
          fault: faultOf(error),
        });
    }
  }

  function end() {
    forgetEverything();
    setState({ kind: 'none' });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when the page opens
  useEffect(() => {
    void check();
    return onSignedOut(end);
  }, []);

  return <SessionContext.Provider value={{ state, check, end }}>{children}</SessionContext.Provider>;
}

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
