import type { FullCard } from '../api/boards.js';
import { Facts, formatCount, formatMoney, plainWords, Time } from '../ui/display.js';

/** What is known of a card beside what people choose, each only where there is something to say. */
export function CardFacts({ card }: { card: FullCard }) {
  const rows: [string, React.ReactNode][] = [
    ['Reporter', card.reporter?.name],
    ['Branch', card.branch && <span className="mono">{card.branch}</span>],
    ['Pull request', card.pr_number !== null && <PullRequest card={card} />],
    ['Checks', card.checks_state && plainWords(card.checks_state)],
    ['Review', card.review_state && plainWords(card.review_state)],
    ['Deployed', card.deploy_url && <ForeignLink href={card.deploy_url}>{card.deploy_url}</ForeignLink>],
    [
      'Elsewhere',
      card.external_url && <ForeignLink href={card.external_url}>{card.external_url}</ForeignLink>,
    ],
    ['Progress', card.progress_percent !== null && `${card.progress_percent}%`],
    ['Attempts', card.attempt > 0 && `${card.attempt} of ${card.max_attempts}`],
    ['Cost', card.cost_usd > 0 && formatMoney(card.cost_usd)],
    [
      'Tokens',
      card.tokens_in + card.tokens_out > 0 &&
        `${formatCount(card.tokens_in)} in, ${formatCount(card.tokens_out)} out`,
    ],
    ['Checklist', card.checklist_total > 0 && `${card.checklist_done} of ${card.checklist_total}`],
    ['Made', <Time key="made" at={card.created_at} />],
    ['Changed', <Time key="changed" at={card.updated_at} />],
    ['Error', card.error_message && <span className="bad">{card.error_message}</span>],
  ];
  return <Facts items={rows.filter(([, value]) => Boolean(value))} />;
}

function PullRequest({ card }: { card: FullCard }) {
  const text = `#${card.pr_number} ${card.pr_state ?? ''}`;
  return card.pr_url ? <ForeignLink href={card.pr_url}>{text}</ForeignLink> : <span>{text}</span>;
}

/** Addresses come from people: anything but http is shown as text. */
function ForeignLink({ href, children }: { href: string; children: string }) {
  if (!/^https?:\/\//i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
