import { renderBlock } from '../../../kernel/markdown.js';
import { limitText } from './host-answer.js';

/** The smallest limit of all hosts. */
const LONGEST_TITLE = 255;
const LONGEST_RESULT = 40_000;
const LONGEST_LESSONS = 12_000;
const CUT = '\n[cut]';

export interface PullRequestFacts {
  ref: string;
  title: string;
  baseUrl: string;
  build: {
    build_id: string;
    attempt: number;
    coder: string;
    profile: string | null;
    cost_usd: number | null;
    result: string | null;
  };
  brief: string | undefined;
  issue: number | undefined;
}

/** A zero-width space keeps mentions from notifying people and references from closing issues. */
const ZERO_WIDTH_SPACE = '\u200B';

export const neutralizeLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .replace(/([@#!])(?=[\p{L}\p{N}_-])/gu, `$1${ZERO_WIDTH_SPACE}`)
    .replace(/\b(GH)-(?=\d)/gi, `$1${ZERO_WIDTH_SPACE}-`)
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`);

export function titleOf({ ref, title }: Pick<PullRequestFacts, 'ref' | 'title'>): string {
  const whole = `${ref}: ${neutralizeLine(title)}`;
  return whole.length <= LONGEST_TITLE ? whole : `${limitText(whole, LONGEST_TITLE - 1)}…`;
}

/** The coder's text is fenced, so that it closes no issue and mentions no one. */
export function bodyOf({ ref, baseUrl, build, brief, issue }: PullRequestFacts): string {
  const home = baseUrl.replace(/\/+$/, '');
  const { build_id, attempt, coder, profile, cost_usd, result } = build;
  const lessons = brief === undefined ? '' : findSection(brief, 'Lessons');
  return [
    ...(issue === undefined ? [] : [`Fixes #${issue}`]),
    `Card: [${ref}](${home}/dashboard/cards/${encodeURIComponent(ref)}) · Build: [attempt ${attempt}](${home}/dashboard/builds/${build_id})`,
    `Coder: \`${coder}\` · Profile: ${profile === null ? 'none' : `\`${profile.replace(/[`\s]/g, '')}\``} · Cost: ${showCost(cost_usd)}`,
    '## Result',
    result?.trim() ? fence(result, LONGEST_RESULT) : 'The coder left no words.',
    ...(lessons ? ['## Lessons in the brief', cutSection(lessons)] : []),
  ].join('\n\n');
}

const showCost = (cost: number | null): string => (cost === null ? 'not known' : `$${cost.toFixed(2)}`);

/** A fence must be longer than any run of backticks inside, so long runs are cut. */
const fence = (text: string, longest: number): string =>
  renderBlock(
    (text.length <= longest ? text : `${limitText(text, longest)}${CUT}`).replace(/(`{64})`+/g, '$1'),
    '',
  ).trimEnd();

/** A section with its own fences cannot be cut, so a long one is fenced as a whole first. */
const cutSection = (section: string): string =>
  section.length <= LONGEST_LESSONS ? section : fence(section, LONGEST_LESSONS);

/** Returns the text below a heading of a brief. Headings inside fences are ignored, because people wrote them. */
export function findSection(brief: string, heading: string): string {
  const found: string[] = [];
  let fence: string | undefined;
  let isInside = false;
  for (const line of brief.split('\n')) {
    const isHeading = fence === undefined && line.startsWith('## ');
    if (isHeading && isInside) break;
    if (isInside) found.push(line);
    if (isHeading && line === `## ${heading}`) isInside = true;
    if (fence === undefined) fence = /^(`{3,})text$/.exec(line)?.[1];
    else if (line === fence) fence = undefined;
  }
  return found.join('\n').trim();
}
