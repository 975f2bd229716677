import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { faultOf, GuildhallError, onOccasion } from '../api/client.js';
import { readSession, type Session } from '../api/identity.js';
import { forgetEverything, refresh } from '../api/resource.js';
import { useToast } from '../ui/toast.js';
import { navigate } from './router.js';

export type SessionState =
  | { kind: 'loading' }
  | { kind: 'failed'; fault: GuildhallError }
  | { kind: 'none' }
  /** `ended`: the session has expired; the page stays open until the user signs in again. */
  | { kind: 'signed-in'; session: Session; ended: boolean };

interface SessionHandle {
  state: SessionState;
  check(): Promise<void>;
  end(): void;
}

const SessionContext = createContext<SessionHandle | undefined>(undefined);

/**
 * All windows of a browser share the session cookie, so they notify each other of changes. Otherwise a page
 * could write as another user than it shows.
 */
type News = { person: number; brand: number } | 'left';
const openLine = () => new BroadcastChannel('guildhall:session');

function notify(news: News): void {
  const line = openLine();
  line.postMessage(news);
  line.close();
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ kind: 'loading' });
  const toast = useToast();
  const known = useRef<Session>(undefined);
  const latest = useRef(state);
  latest.current = state;

  const check = useCallback(async () => {
    try {
      const session = await readSession();
      if (known.current && isSame(known.current, session)) refresh('');
      else {
        forgetEverything();
        // The URL may refer to the previous workspace or user.
        if (known.current && isWorkspacePage()) navigate('/dashboard', { replace: true });
      }
      known.current = session;
      setState({ kind: 'signed-in', session, ended: false });
      notify({ person: session.user.user_id, brand: session.brand.brand_id });
    } catch (error) {
      // A failed check must not close a page that waits for a new sign-in.
      if (isEnded(latest.current)) throw error;
      if (error instanceof GuildhallError && error.status === 401) setState({ kind: 'none' });
      else setState({ kind: 'failed', fault: faultOf(error) });
    }
  }, []);

  const end = useCallback(() => {
    forgetEverything();
    known.current = undefined;
    setState({ kind: 'none' });
    notify('left');
  }, []);

  useEffect(() => {
    void check();
    const suspend = () =>
      setState((before) => (before.kind === 'signed-in' ? { ...before, ended: true } : before));
    const follow = async () => {
      const before = known.current;
      await check().catch(() => undefined);
      const now = known.current;
      if (before && now && !isSame(before, now))
        toast({
          text: `Another window has opened ${now.brand.name} as ${now.user.full_name}; so has this one`,
        });
    };
    const line = openLine();
    line.onmessage = ({ data: news }: MessageEvent<News>) => {
      if (news === 'left') suspend();
      else if (isEnded(latest.current) || !isOf(known.current, news)) void follow();
    };
    /** Updates the buttons when the user's role has changed. */
    const learnRole = async () => {
      const session = await readSession().catch(() => undefined);
      if (!session || !known.current || !isSame(known.current, session)) return;
      if (session.role === known.current.role) return;
      known.current = session;
      setState({ kind: 'signed-in', session, ended: false });
    };
    const stopHearing = [onOccasion('signed-out', suspend), onOccasion('refused', () => void learnRole())];
    return () => {
      line.close();
      for (const stop of stopHearing) stop();
    };
  }, [check, toast]);

  return <SessionContext.Provider value={{ state, check, end }}>{children}</SessionContext.Provider>;
}

const isWorkspacePage = (): boolean => /^\/dashboard(?!\/operator)(\/|$)/.test(location.pathname);

/** Data of another user or workspace must be discarded. */
const isSame = (before: Session, after: Session): boolean =>
  before.user.user_id === after.user.user_id && before.brand.brand_id === after.brand.brand_id;

const isOf = (session: Session | undefined, { person, brand }: Exclude<News, 'left'>): boolean =>
  session?.user.user_id === person && session.brand.brand_id === brand;

const isEnded = (state: SessionState): boolean => state.kind === 'signed-in' && state.ended;

/** Changes with the user or the workspace. */
export const identityOf = ({ user, brand }: Session): string => `${user.user_id}:${brand.brand_id}`;

export function useSessionState(): SessionHandle {
  const handle = useContext(SessionContext);
  if (!handle) throw new Error('There is no session provider above');
  return handle;
}

/** The current session; throws if signed out. */
export function useSession(): Session {
  const { state } = useSessionState();
  if (state.kind !== 'signed-in') throw new Error('Not signed in');
  return state.session;
}

export const useIsAdmin = (): boolean => useSession().role === 'admin';
export const useIsGuest = (): boolean => useSession().role === 'guest';
