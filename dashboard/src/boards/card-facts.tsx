import type { FullCard } from '../api/boards.js';
import { OutsideLink } from '../forges/outside-link.js';
import { checksWords } from '../forges/pull-request-words.js';
import { Facts, formatCount, formatMoney, plainWords, Time } from '../ui/display.js';

/** Read-only facts of a card. `panel` is true when the pull request is already shown above. */
export function CardFacts({ card, panel }: { card: FullCard; panel: boolean }) {
  const told = panel && card.pr_number !== null;
  const rows: [string, React.ReactNode][] = [
    ['Reporter', card.reporter?.name],
    ['Branch', card.branch && <span className="mono">{card.branch}</span>],
    ['Pull request', !told && card.pr_number !== null && <PullRequest card={card} />],
    ['Checks', !told && card.checks_state && checksWords(card.checks_state)?.replace(/^checks /, '')],
    ['Review', card.review_state && card.review_state !== 'none' && plainWords(card.review_state)],
    ['Deployed', card.deploy_url && <OutsideLink href={card.deploy_url}>{card.deploy_url}</OutsideLink>],
    [
      'Elsewhere',
      card.external_url && <OutsideLink href={card.external_url}>{card.external_url}</OutsideLink>,
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
    ['Created', <Time key="created" at={card.created_at} />],
    ['Changed', <Time key="changed" at={card.updated_at} />],
    ['Error', card.error_message && <span className="bad">{card.error_message}</span>],
  ];
  return <Facts items={rows.filter(([, value]) => Boolean(value))} />;
}

function PullRequest({ card }: { card: FullCard }) {
  const text = `#${card.pr_number} ${card.pr_state ?? ''}`;
  return card.pr_url ? <OutsideLink href={card.pr_url}>{text}</OutsideLink> : <span>{text}</span>;
}
