import type { Pagination } from '../declaration/route.js';

/** How most lists of a style go on: the document says only what differs, and whoever reads it fills in the rest. */
const USUAL = {
  cursor: { style: 'cursor', parameter: 'cursor', next: 'next_cursor' },
  page: { style: 'page', parameter: 'page', size: 'per_page' },
  before: { style: 'before', parameter: 'before', from: 'id' },
} as const;

const USUAL_STYLE = 'cursor';

export type ToldPagination = { style?: Pagination['style']; items: string | null } & Record<string, unknown>;

export function tellPagination(pagination: Pagination): object {
  const usual: Record<string, unknown> = USUAL[pagination.style];
  return Object.fromEntries(
    Object.entries(pagination).filter(([key, value]) =>
      key === 'style' ? value !== USUAL_STYLE : value !== usual[key],
    ),
  );
}

export const readPagination = (told: ToldPagination): Pagination =>
  ({ ...USUAL[told.style ?? USUAL_STYLE], ...told }) as Pagination;
