import type { Board } from '../api/boards.js';

/** Rights of the user on a board; the page hides actions that the service would refuse. */
export interface Rights {
  comment: boolean;
  edit: boolean;
  /** Whether the user may set fields that control agents; guests may not. */
  direct: boolean;
  arrange: boolean;
  remove: boolean;
  words: string | undefined;
}

const WORDS: Partial<Record<Board['your_role'], string>> = {
  viewer: 'You can read this board.',
  commenter: 'You can read and comment here.',
  editor: 'You can create and edit cards here.',
};

export function rightsOf({ your_role: role }: Pick<Board, 'your_role'>): Rights {
  const isMember = role === 'admin' || role === 'member';
  return {
    comment: role !== 'viewer',
    edit: isMember || role === 'editor',
    direct: isMember,
    arrange: isMember,
    remove: role === 'admin',
    words: WORDS[role],
  };
}
