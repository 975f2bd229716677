export const SORT_NAMES = ['title', 'status', 'assignee', 'priority', 'due', 'estimate', 'updated'] as const;
export type SortName = (typeof SORT_NAMES)[number];

/** With a minus, the other way round. */
export const SORTS = SORT_NAMES.flatMap((name) => [name, `-${name}`] as const);
export type SortText = (typeof SORTS)[number];

export interface Sort {
  by: SortName;
  descending: boolean;
}

/** The newest change first is how the list comes by itself. */
export const readSort = (text: SortText | undefined): Sort | undefined =>
  text === undefined || text === '-updated'
    ? undefined
    : { by: text.replace('-', '') as SortName, descending: text.startsWith('-') };

export const COUNTED = ['status', 'board', 'assignee', 'priority'] as const;
export type Counted = (typeof COUNTED)[number];

/** Where a page of a sorted list ended; with null among those that have nothing to be sorted by. */
export interface SortPlace {
  key: string | null;
  id: string;
}
