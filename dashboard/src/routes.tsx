import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  useParams,
} from '@tanstack/react-router';
import { type ComponentType, createElement, lazy, Suspense, useEffect, useState } from 'react';
import { InvitationPage } from './entrance/invitation-page.js';
import { ResetPasswordPage } from './entrance/reset-password-page.js';
import { SignInPage } from './entrance/sign-in-page.js';
import { Broken, NotHere } from './shell/not-here.js';
import { loadPage, Opening } from './shell/opening.js';
import { history, navigate, type Place, usePlace } from './shell/router.js';
import { identityOf, useSession, useSessionState } from './shell/session.js';
import { Shell } from './shell/shell.js';
import { ErrorNote } from './ui/feedback.js';

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: () => <NotHere /> });

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'reset-password',
  component: function Reset() {
    return <ResetPasswordPage token={usePlace().query.get('token') ?? ''} />;
  },
});

/** Routes that need to know whether a user is signed in. */
const knownRoute = createRoute({ getParentRoute: () => rootRoute, id: 'known', component: Known });

function Known() {
  const { state, check } = useSessionState();
  if (state.kind === 'loading') return <div className="blank" role="status" aria-label="Loading" />;
  if (state.kind !== 'failed') return <Outlet />;
  return (
    <main className="alone">
      <ErrorNote fault={state.fault} onRetry={() => void check()} />
    </main>
  );
}

const signInRoute = createRoute({
  getParentRoute: () => knownRoute,
  path: 'sign-in',
  component: function SignIn() {
    const { query } = usePlace();
    const { state } = useSessionState();
    if (state.kind !== 'none') return <GoTo to={safeNext(query.get('next'))} />;
    return <SignInPage next={query.get('next')} fault={query.get('fault')} />;
  },
});

const invitationRoute = createRoute({
  getParentRoute: () => knownRoute,
  path: 'invitations/$token',
  component: function Invitation() {
    return <InvitationPage token={invitationRoute.useParams().token} />;
  },
});

const dashboardRoute = createRoute({
  getParentRoute: () => knownRoute,
  path: 'dashboard',
  component: function Dashboard() {
    const place = usePlace();
    const { state } = useSessionState();
    if (state.kind === 'none') return <GoTo to={`/sign-in${nextOf(place)}`} />;
    // Remount for another user or workspace, so that no component keeps data of the previous one.
    return (
      <Shell key={state.kind === 'signed-in' ? identityOf(state.session) : undefined}>
        <Outlet />
      </Shell>
    );
  },
  notFoundComponent: () => <NotHere />,
});

const membersRoute = createRoute({
  getParentRoute: () => dashboardRoute,
  id: 'members',
  component: function Members() {
    return useSession().role === 'guest' ? (
      <NotHere text="Guests can open the boards they were invited to." />
    ) : (
      <Outlet />
    );
  },
});

type Load = () => Promise<Record<string, unknown>>;

/** Loads each page's code when it is first opened. `idName` renames the route's `id` for the page. */
function page(parent: AnyRoute, path: string, load: Load, name: string, idName?: string) {
  // biome-ignore lint/suspicious/noExplicitAny: which properties a page has is known to its own module
  const Component = lazy(async () => ({ default: (await loadPage(load))[name] as ComponentType<any> }));
  return createRoute({
    getParentRoute: () => parent,
    path,
    component: function AreaPage() {
      const { id } = useParams({ strict: false }) as { id?: string };
      return (
        <Suspense fallback={<Opening />}>
          {createElement(Component, idName ? { key: id, [idName]: id } : {})}
        </Suspense>
      );
    },
  });
}

const guestPages = [
  page(dashboardRoute, '/', () => import('./today/today-page.js'), 'TodayPage'),
  page(dashboardRoute, 'inbox', () => import('./inbox/inbox-page.js'), 'InboxPage'),
  page(dashboardRoute, 'work', () => import('./work/work-page.js'), 'WorkPage'),
  page(dashboardRoute, 'search', () => import('./search/search-page.js'), 'SearchPage'),
  page(dashboardRoute, 'cards/$id', () => import('./search/card-by-ref-page.js'), 'CardByRefPage', 'cardRef'),
  page(dashboardRoute, 'settings', () => import('./settings/settings-page.js'), 'SettingsPage'),
  page(dashboardRoute, 'settings/$id', () => import('./settings/settings-page.js'), 'SettingsPage', 'tab'),
  page(dashboardRoute, 'boards', () => import('./boards/boards-page.js'), 'BoardsPage'),
  page(dashboardRoute, 'boards/$id', () => import('./boards/board-page.js'), 'BoardPage', 'boardId'),
];

/** Redirects a URL that the build page would otherwise take for a build. */
const policyRoute = createRoute({
  getParentRoute: () => membersRoute,
  path: 'builds/policy',
  component: () => <GoTo to="/dashboard/settings/builds" />,
});

const memberPages = [
  policyRoute,
  page(membersRoute, 'boards/import', () => import('./boards/import/import-page.js'), 'ImportPage'),
  page(membersRoute, 'builds', () => import('./builds/builds-page.js'), 'BuildsPage'),
  page(membersRoute, 'builds/$id', () => import('./builds/build-page.js'), 'BuildPage', 'buildId'),
  page(membersRoute, 'figures', () => import('./figures/figures-page.js'), 'FiguresPage'),
  page(membersRoute, 'spend', () => import('./spend/spend-page.js'), 'SpendPage'),
  page(membersRoute, 'memory', () => import('./memory/memory-page.js'), 'MemoryPage'),
  page(
    membersRoute,
    'memory/$id',
    () => import('./memory/agent-memory-page.js'),
    'AgentMemoryPage',
    'agentId',
  ),
  page(membersRoute, 'lessons', () => import('./lessons/lessons-page.js'), 'LessonsPage'),
  page(membersRoute, 'lessons/$id', () => import('./lessons/project-page.js'), 'ProjectPage', 'projectId'),
  page(membersRoute, 'machines', () => import('./machines/machines-page.js'), 'MachinesPage'),
  page(membersRoute, 'machines/$id', () => import('./machines/machine-page.js'), 'MachinePage', 'deskId'),
  page(membersRoute, 'agents', () => import('./agents/agents-page.js'), 'AgentsPage'),
  page(membersRoute, 'agents/onboarding', () => import('./agents/onboarding-page.js'), 'OnboardingPage'),
  page(
    membersRoute,
    'coder-profiles',
    () => import('./coder-profiles/coder-profiles-page.js'),
    'CoderProfilesPage',
  ),
];

/** These pages use the operator key instead of a session. */
const operatorPages = [
  page(rootRoute, 'dashboard/operator', () => import('./operator/operator-page.js'), 'OperatorPage'),
  page(
    rootRoute,
    'dashboard/operator/$id',
    () => import('./operator/operator-page.js'),
    'OperatorPage',
    'section',
  ),
];

const routeTree = rootRoute.addChildren([
  resetRoute,
  ...operatorPages,
  knownRoute.addChildren([
    signInRoute,
    invitationRoute,
    dashboardRoute.addChildren([...guestPages, membersRoute.addChildren(memberPages)]),
  ]),
]);

/** Keeps query values as plain text: `?card=7` is a string, without JSON quoting. */
export const router = createRouter({
  routeTree,
  history,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (query) => {
    const text = new URLSearchParams(query as Record<string, string>).toString();
    return text ? `?${text}` : '';
  },
  defaultPendingMs: 300,
  defaultErrorComponent: ({ error }) => <Broken error={error as Error} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const nextOf = ({ path, query }: Place): string => {
  const address = query.size > 0 ? `${path}?${query}` : path;
  return address === '/dashboard' ? '' : `?next=${encodeURIComponent(address)}`;
};

/** Prevents open redirects: only the app's own paths are allowed. */
const safeNext = (next: string | null): string =>
  next && /^\/(dashboard|invitations)(\/|$|\?)/.test(next) ? next : '/dashboard';

/**
 * Redirects once: this component stays mounted while the next page loads, and its target would then be
 * derived from the new URL.
 */
function GoTo({ to }: { to: string }) {
  const [first] = useState(to);
  useEffect(() => navigate(first, { replace: true }), [first]);
  return null;
}
