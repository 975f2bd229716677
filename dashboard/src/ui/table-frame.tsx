import type { ReactNode } from 'react';

interface FrameProps {
  label: string;
  className?: string;
  children: ReactNode;
}

/** A table that scrolls horizontally, also by keyboard. */
export function TableFrame({ label, className = '', children }: FrameProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled has to be reached
    <section className={`table-frame ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
