import { useCallback, useMemo } from 'react';
import type { Board, TileCard } from '../../api/boards.js';
import { navigate, withParameters } from '../../shell/router.js';
import { useCardCommands, useCardKeys } from '../board-columns.js';
import type { Rights } from '../board-rights.js';
import { type Layout, LIST } from '../layout.js';
import type { ChangeCards } from '../selection/use-batch.js';
import type { Selection } from '../selection/use-selection.js';
import { countSubTasks } from '../sub-tasks.js';
import type { BoardHandle } from '../use-board.js';
import type { CardActions } from '../use-card-actions.js';
import type { CardFocus } from '../use-card-focus.js';
import type { Directory } from '../use-directory.js';
import { CardList } from './card-list.js';
import type { RowParts } from './card-row.js';
import { type Sort, writeSort } from './sort.js';
import { useFieldKeys } from './use-field-keys.js';

interface BoardListProps {
  board: Board;
  handle: BoardHandle;
  layout: Layout;
  sort: Sort | undefined;
  rights: Rights;
  focus: CardFocus;
  actions: CardActions;
  selection: Selection;
  directory: Directory;
  change: ChangeCards;
}

export function BoardList(props: BoardListProps) {
  const { board, handle, layout, sort, rights, focus, actions, selection, directory, change } = props;
  const subTasks = useMemo(() => countSubTasks(handle.cards.data ?? []), [handle.cards.data]);
  const parts = useMemo<RowParts<TileCard>>(
    () => ({
      directory,
      addressOf: ({ id }) => withParameters({ card: id }),
      // Replace the link navigation so that Back returns to the list.
      onOpen({ id }, event) {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        actions.tile.open(id);
      },
      canEdit: () => rights.edit,
      agents: rights.direct,
      columns: board.columns,
      subTasks,
      actions: actions.tile,
      set: (card, wishOf, words) => void change([card], wishOf, words),
    }),
    [directory, rights, board.columns, subTasks, actions.tile, change],
  );
  useCardCommands(props);
  useFieldKeys('Board', rights.edit, () => focus.current()?.id);
  const onKeyDown = useCardKeys(props);
  const { onReveal } = focus;
  const groups = useMemo(() => [{ name: '', count: undefined, cards: layout.order }], [layout.order]);
  return (
    <CardList
      groups={groups}
      selected={selection.ids}
      parts={parts}
      sort={sort}
      onSort={(next) => navigate(withParameters({ sort: writeSort(next) }), { replace: true })}
      onKeyDown={onKeyDown}
      onFocus={focus.note}
      focusCard={focus.focusCard}
      onReveal={useCallback((reveal) => onReveal(LIST, reveal), [onReveal])}
      cell={LIST}
    />
  );
}
