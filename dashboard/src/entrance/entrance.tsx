import { type ReactNode, useEffect } from 'react';
import { Mark } from '../ui/icons.js';

/** The frame of the pages in front of the door. */
export function Entrance({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Guildhall`;
  }, [title]);
  return (
    <main className="entrance">
      <div className="entrance-card">
        <div className="entrance-brand">
          <Mark size={34} />
          <span>Guildhall</span>
        </div>
        <h1>{title}</h1>
        {lead && <p className="muted">{lead}</p>}
        {children}
      </div>
    </main>
  );
}
