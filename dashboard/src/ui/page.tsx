import { type ReactNode, useEffect, useRef } from 'react';
import { noteVisit } from '../search/recent.js';
import { Link } from '../shell/router.js';
import { identityOf, useSessionState } from '../shell/session.js';
import { BackIcon } from './icons.js';

interface PageProps {
  title: string;
  /** Title of the browser tab if it differs, such as the open card of a board. */
  tabTitle?: string;
  back?: { to: string; label: string };
  lead?: ReactNode;
  actions?: ReactNode;
  /** Uses the full width and height, for boards. */
  full?: boolean;
  /** Uses the full width, for tables and columns. */
  wide?: boolean;
  children: ReactNode;
}

export function Page({ title, tabTitle = title, back, lead, actions, full, wide, children }: PageProps) {
  usePageTitle(tabTitle);
  return (
    <div className={['page', full && 'page-full', wide && 'page-wide'].filter(Boolean).join(' ')}>
      <header className="page-head">
        <div className="page-title">
          {back && (
            <Link to={back.to} className="page-back">
              <BackIcon size={15} /> {back.label}
            </Link>
          )}
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Sets the tab title with the most specific part first, because tabs are narrow. */
export function usePageTitle(title: string): void {
  const { state } = useSessionState();
  const session = state.kind === 'signed-in' ? state.session : undefined;
  const place = session?.brand.name ?? 'Guildhall';
  const identity = session && identityOf(session);
  useEffect(() => {
    document.title = `${title} · ${place}`;
    if (identity) noteVisit(identity, title);
  }, [title, place, identity]);
}

interface TabsProps {
  label: string;
  tabs: { to: string; label: string; current: boolean }[];
}

/** Scrolls the current link of a tab strip into view on narrow screens. */
export function useCurrentInSight(current: string | undefined): React.RefObject<HTMLElement | null> {
  const strip = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told by what is current alone
  useEffect(() => {
    const link = strip.current?.querySelector('[aria-current]');
    if (strip.current && link) bringAcross(strip.current, link);
  }, [current]);
  return strip;
}

/** Scrolls only the strip horizontally; `scrollIntoView` would also scroll the page. */
function bringAcross(strip: HTMLElement, link: Element): void {
  const [frame, own] = [strip.getBoundingClientRect(), link.getBoundingClientRect()];
  if (own.left < frame.left) strip.scrollLeft -= frame.left - own.left;
  else if (own.right > frame.right) strip.scrollLeft += own.right - frame.right;
}

export function Tabs({ label, tabs }: TabsProps) {
  const strip = useCurrentInSight(tabs.find((tab) => tab.current)?.to);
  return (
    <nav className="tabs" aria-label={label} ref={strip}>
      {tabs.map((tab) => (
        <Link key={tab.to} to={tab.to} className="tab" aria-current={tab.current ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}

interface SectionProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section className="section" aria-label={title}>
      <header className="section-head">
        <div>
          <h2>{title}</h2>
          {lead && <p className="muted">{lead}</p>}
        </div>
        {actions && <div className="section-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
