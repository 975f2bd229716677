import { sha256Hex } from '../../kernel/secrets.js';
import type { EmployeeRow } from './catalog.store.js';
import { describeSteps, packagesOf, periodEnd, shownRepository } from './hires.rules.js';
import type { Employee } from './hires.schemas.js';
import type { HireRow } from './hires.store.js';

export const onboardingUrl = (hireId: string): string => `/dashboard/agents/onboarding?hire=${hireId}`;

/** `desks` contains the ids of desks that still exist. */
export function describeHire(hire: HireRow, desks: ReadonlySet<string>, now: Date) {
  return {
    hire_id: hire.hire_id,
    profile_id: hire.profile_id,
    brand_id: hire.brand_id,
    status: hire.status,
    agent_id: hire.built_at ? hire.agent_id : null,
    workstation_id: hire.workstation_id && desks.has(hire.workstation_id) ? hire.workstation_id : null,
    current_period_end: hire.last_period_end ?? periodEnd(hire.created_at, now),
    cancel_at_period_end: hire.cancel_at_period_end,
    effective_at: hire.effective_at,
    created_at: hire.created_at,
    onboarding_url: onboardingUrl(hire.hire_id),
    comp_reason: hire.comp_reason,
    error: hire.error,
    steps: describeSteps(hire),
  };
}

export const describeEmployee = (row: EmployeeRow): Employee => ({
  profile_id: row.profile_id,
  name: row.name,
  description: row.description,
  portrait: `/api/v1/employees/${row.profile_id}/portrait`,
  builder: row.builder,
  deployable: row.template !== null,
  packages: row.template ? packagesOf(row.template) : [],
  repository: shownRepository(row.repository),
  existing_hire_id: row.existing_hire_id,
  ...(row.price_usd !== null && { price_usd: row.price_usd }),
});

const BACKGROUNDS = ['#dbe7f5', '#e6f0dc', '#f7e4d4', '#ece2f4', '#f6e9c9', '#d8efec'];
const SKINS = ['#f6d7bf', '#eabf9b', '#cf9a70', '#a8714b', '#7a4c30'];
const HAIRS = ['#2f2620', '#5b3a24', '#8a5a34', '#b98a4a', '#8d8f96', '#3b3f58'];
const SHIRTS = ['#33658a', '#5b8c5a', '#b5523b', '#6d597a', '#2a7f7a', '#a1772b'];

const HAIR_STYLES = [
  'M30 46c0-16 9-26 20-26s20 10 20 26c-4-7-9-10-20-10s-16 3-20 10z',
  'M28 62c-3-26 6-43 22-43s25 17 22 43c-3-3-5-12-6-20-6-4-26-4-32 0-1 8-3 17-6 20z',
  'M30 44c1-15 9-23 20-23 13 0 20 9 20 22-6-9-14-6-22-9-5 5-12 6-18 10z',
  'M31 42c-4-6 1-12 5-12 2-8 12-10 15-5 5-5 14-1 14 6 6 2 6 9 3 12-6-8-30-9-37-1z',
];

const pick = <T>(choices: readonly T[], byte: number): T => choices[byte % choices.length]!;

/**
 * Draws a portrait from the employee's id, so that every page and node shows the same one without storing it.
 */
export function drawPortrait(profileId: string, name: string): string {
  const bytes = Buffer.from(sha256Hex(profileId), 'hex');
  const byte = (position: number) => bytes[position]!;
  const smile = 4 + (byte(5) % 4);
  const glasses =
    byte(6) % 3 === 0
      ? '<g fill="none" stroke="#3a3a40" stroke-width="1.6"><circle cx="42.5" cy="50" r="5.5"/><circle cx="57.5" cy="50" r="5.5"/><path d="M48 50h4"/></g>'
      : '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" role="img" aria-label="${escapeXml(name)}">`,
    `<rect width="100" height="100" fill="${pick(BACKGROUNDS, byte(0))}"/>`,
    `<path d="M18 100c0-20 14-28 32-28s32 8 32 28z" fill="${pick(SHIRTS, byte(1))}"/>`,
    `<path d="M43 62h14v12c-4 5-10 5-14 0z" fill="${pick(SKINS, byte(2))}"/>`,
    `<ellipse cx="50" cy="49" rx="19" ry="22" fill="${pick(SKINS, byte(2))}"/>`,
    `<path d="${pick(HAIR_STYLES, byte(3))}" fill="${pick(HAIRS, byte(4))}"/>`,
    '<g fill="#2b2b30"><circle cx="42.5" cy="50" r="1.9"/><circle cx="57.5" cy="50" r="1.9"/></g>',
    glasses,
    `<path d="M44 60q6 ${smile} 12 0" fill="none" stroke="#7d3c31" stroke-width="1.8" stroke-linecap="round"/>`,
    '</svg>',
  ].join('');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeXml = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cn}]/gu, ' ').replace(/[&<>"]/g, (character) => ENTITIES[character]!);
