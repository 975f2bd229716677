import type { Board } from '../api/boards.js';

/** What somebody may do on a board, so that the page offers nothing that the service would refuse. */
export interface Rights {
  comment: boolean;
  edit: boolean;
  /** Fields that decide what agents do are for the workspace's own people. */
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
