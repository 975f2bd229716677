import { createContext, type KeyboardEvent, type ReactNode, useContext, useRef, useState } from 'react';
import { type Child, listChildren, ROOT } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { Loaded } from '../ui/feedback.js';
import { walkTree } from '../ui/tree-keys.js';
import { placesAbove, plural } from './places.js';

interface TreeProps {
  projectId: string;
  chosen: string;
  onChoose(path: string): void;
  onlyLessons: boolean;
}

interface TreeState extends TreeProps {
  open: ReadonlySet<string>;
  /** The single Tab stop of the tree. */
  current: string;
  toggle(path: string): void;
  setCurrent(path: string): void;
}

const TreeContext = createContext<TreeState | undefined>(undefined);
const useTree = (): TreeState => useContext(TreeContext) as TreeState;

/** Loads each level when it is expanded. Arrow keys navigate, Enter selects, typing jumps to a name. */
export function CodeTree(props: TreeProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(placesAbove(props.chosen)));
  const [current, setCurrent] = useState(props.chosen);
  const tree = useRef<HTMLDivElement>(null);

  const toggle = (path: string) => {
    const changed = new Set(open);
    if (!changed.delete(path)) changed.add(path);
    setOpen(changed);
  };
  const focus = (item: HTMLElement | undefined) => {
    if (!item?.dataset.place) return;
    setCurrent(item.dataset.place);
    item.focus();
  };

  const onKeyDown = (event: KeyboardEvent) =>
    walkTree(event, tree.current, { focus, toggle, choose: props.onChoose });

  return (
    <TreeContext.Provider value={{ ...props, open, current, toggle, setCurrent }}>
      <div ref={tree} className="code-tree" role="tree" aria-label="Code" tabIndex={-1} onKeyDown={onKeyDown}>
        <Item child={{ kind: 'folder', path: ROOT, name: 'All of the code' }} level={1} opened>
          <Level path={ROOT} level={2} />
        </Item>
      </div>
    </TreeContext.Provider>
  );
}

function Level({ path, level }: { path: string; level: number }) {
  const { projectId, onlyLessons, open } = useTree();
  const children = useResource(
    `tree:${projectId}:${path}`,
    (signal) => listChildren(projectId, path, signal),
    {
      freshMs: 10_000,
    },
  );
  return (
    <Loaded of={children} rows={2}>
      {({ items, total }) => {
        const shown = onlyLessons ? items.filter(({ lessons }) => lessons > 0) : items;
        return (
          <>
            {shown.map((child) => (
              <Item key={child.node_id} child={child} level={level} opened={open.has(child.path)}>
                <Level path={child.path} level={level + 1} />
              </Item>
            ))}
            {total > items.length && (
              <div className="muted small tree-more">
                {items.length} of {total} shown
              </div>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

interface ItemProps {
  child: Pick<Child, 'kind' | 'path' | 'name'> & Partial<Child>;
  level: number;
  opened: boolean;
  children: ReactNode;
}

const WORDS = { folder: 'folder', file: 'file', symbol: 'symbol' };

function Item({
  child: { kind, path, name, lessons = 0, stale_lessons = 0 },
  level,
  opened,
  children,
}: ItemProps) {
  const { chosen, current, onChoose, toggle, setCurrent } = useTree();
  // Symbols have no children in the tree; lessons inside them are counted on the symbol.
  const holds = kind !== 'symbol' && path !== ROOT;
  const said = [
    name,
    WORDS[kind],
    lessons > 0 && plural(lessons, 'lesson'),
    stale_lessons > 0 && `${stale_lessons} stale`,
  ];
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys */}
      <div
        role="treeitem"
        className="tree-row"
        style={{ paddingLeft: `${(level - 1) * 14 + 4}px` }}
        aria-level={level}
        aria-expanded={holds ? opened : undefined}
        aria-selected={path === chosen}
        aria-label={said.filter(Boolean).join(', ')}
        data-place={path}
        data-name={name}
        tabIndex={path === current ? 0 : -1}
        onClick={() => {
          setCurrent(path);
          onChoose(path);
          if (holds && !opened) toggle(path);
        }}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the arrow keys open and close */}
        <span
          className="tree-sign"
          data-sign={holds ? (opened ? '▾' : '▸') : ''}
          onClick={(event) => {
            event.stopPropagation();
            if (holds) toggle(path);
          }}
        />
        <span className={`tree-name tree-${kind}`}>{name}</span>
        {stale_lessons > 0 && (
          <span className="tree-stale" data-count={stale_lessons} title={`${stale_lessons} stale`} />
        )}
        {lessons > 0 && (
          <span className="tree-count" data-count={lessons} title={plural(lessons, 'lesson')} />
        )}
      </div>
      {opened && children}
    </>
  );
}
