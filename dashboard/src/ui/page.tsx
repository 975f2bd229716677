import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from '../shell/router.js';
import { BackIcon } from './icons.js';

interface PageProps {
  title: ReactNode;
  back?: { to: string; label: string };
  lead?: ReactNode;
  actions?: ReactNode;
  /** Uses the whole width and height, as a board does. */
  full?: boolean;
  children: ReactNode;
}

export function Page({ title, back, lead, actions, full, children }: PageProps) {
  return (
    <div className={full ? 'page page-full' : 'page'}>
      <header className="page-head">
        <div className="page-title">
          {back && (
            <Link to={back.to} className="page-back">
              <BackIcon size={15} /> {back.label}
            </Link>
          )}
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface TabsProps {
  label: string;
  tabs: { to: string; label: string; current: boolean }[];
}

export function Tabs({ label, tabs }: TabsProps) {
  const strip = useRef<HTMLElement>(null);
  const current = tabs.find((tab) => tab.current)?.to;
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a narrow screen another tab may lie out of sight
  useEffect(() => {
    strip.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
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
