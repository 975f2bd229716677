import { type ReactNode, useEffect, useRef } from 'react';
import { noteVisit } from '../search/recent.js';
import { Link } from '../shell/router.js';
import { identityOf, useSessionState } from '../shell/session.js';
import { BackIcon } from './icons.js';

interface PageProps {
  title: string;
  /** What the tab of the browser says, where that is not the title: the open card of a board, say. */
  tabTitle?: string;
  back?: { to: string; label: string };
  lead?: ReactNode;
  actions?: ReactNode;
  /** Uses the whole width and height, as a board does. */
  full?: boolean;
  /** Uses the whole width: what is read in lines or columns. */
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

/** What the tab of the browser says: the thing itself first, since tabs are narrow. */
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

/** On a narrow screen the current link of a strip may lie out of sight, where nobody looks for it. */
export function useCurrentInSight(current: string | undefined): React.RefObject<HTMLElement | null> {
  const strip = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told by what is current alone
  useEffect(() => {
    const link = strip.current?.querySelector('[aria-current]');
    if (strip.current && link) bringAcross(strip.current, link);
  }, [current]);
  return strip;
}

/** Along the strip alone: one that stands far down must not take the page with it. */
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
