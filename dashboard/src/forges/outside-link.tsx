import type { ReactNode } from 'react';

interface LinkProps {
  href: string;
  className?: string;
  children: ReactNode;
}

/** URLs come from users and hosts, so anything but http(s) is shown as plain text. */
export function OutsideLink({ href, className, children }: LinkProps) {
  if (!/^https?:\/\//i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} className={className} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
