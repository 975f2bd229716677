import { type ReactNode, useEffect } from 'react';
import { Mark } from '../ui/icons.js';

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
