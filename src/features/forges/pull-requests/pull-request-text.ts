import { renderBlock } from '../../../kernel/code-block.js';
import { findSection } from './brief-section.js';
import { keepText } from './told.js';

/** The least that any host takes. */
const LONGEST_TITLE = 255;
const LONGEST_RESULT = 40_000;
const LONGEST_LESSONS = 12_000;
const CUT = '\n[cut]';

export interface PullRequestFacts {
  ref: string;
  title: string;
  /** Where the dashboard is. */
  baseUrl: string;
  build: {
    build_id: string;
    attempt: number;
    coder: string;
    profile: string | null;
    cost_usd: number | null;
    result: string | null;
  };
  /** What its coder was given. */
  brief: string | undefined;
  /** The issue that the card came from. */
  issue: number | undefined;
}

/** A zero-width space takes from a name or a number that it calls anybody, or closes anything once it is in a commit. */
const REST = '\u200B';

/** Words that strangers wrote, in one line that only reads like them. */
export const calmLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .replace(/([@#!])(?=[\p{L}\p{N}_-])/gu, `$1${REST}`)
    .replace(/\b(GH)-(?=\d)/gi, `$1${REST}-`)
    .replaceAll('://', `:${REST}//`);

export function titleOf({ ref, title }: Pick<PullRequestFacts, 'ref' | 'title'>): string {
  const whole = `${ref}: ${calmLine(title)}`;
  return whole.length <= LONGEST_TITLE ? whole : `${keepText(whole, LONGEST_TITLE - 1)}…`;
}

/** What a coder wrote stands in a fence: there it closes no issue and calls nobody. */
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

/** A run of backticks makes its fence longer: one that nobody needs would fill the whole body. */
const fence = (text: string, longest: number): string =>
  renderBlock(
    (text.length <= longest ? text : `${keepText(text, longest)}${CUT}`).replace(/(`{64})`+/g, '$1'),
    '',
  ).trimEnd();

/** It holds fences of its own: where it is too long, it stands as a whole in one that is cut inside. */
const cutSection = (section: string): string =>
  section.length <= LONGEST_LESSONS ? section : fence(section, LONGEST_LESSONS);
