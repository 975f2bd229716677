import type { ReactNode } from 'react';

interface LinkProps {
  href: string;
  className?: string;
  children: ReactNode;
}

/** Addresses come from people and hosts: anything but http is shown as text. */
export function OutsideLink({ href, className, children }: LinkProps) {
  if (!/^https?:\/\//i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} className={className} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
