import type { ReactNode } from 'react';

interface FrameProps {
  label: string;
  className?: string;
  children: ReactNode;
}

/** A table that may be wider than its place: it is scrolled there, by keyboard too. */
export function TableFrame({ label, className = '', children }: FrameProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled has to be reached
    <section className={`table-frame ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
