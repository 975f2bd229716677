import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import type { GraphEdge, GraphNode } from '../../api/lessons.js';
import { PinIcon } from '../../ui/icons.js';
import { nameOf, placeOf, plural } from '../places.js';
import { type Layout, NODE_HEIGHT, NODE_WIDTH, neighbourOf, type Spot } from './layout.js';
import type { Drawn } from './use-layout.js';

interface PictureProps {
  drawn: Drawn;
  /** The places of the highlighted path, in order; empty without one. */
  lit: readonly string[];
  onWalk(place: string): void;
}

/** The graph around a place. It is one Tab stop; arrow keys move between places and Enter opens one. */
export function GraphPicture({ drawn: { graph, layout }, lit, onWalk }: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(graph.center);
  const [pointed, setPointed] = useState<string>();
  const tabStop = layout.spots.has(current) ? current : graph.center;
  useCentred(frame, layout, graph.center);
  useEffect(() => setCurrent(graph.center), [graph.center]);

  function onKeyDown(event: KeyboardEvent) {
    const from = (event.target as HTMLElement).dataset.node;
    if (!from || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = event.key === 'Home' ? graph.center : neighbourOf(layout, from, event.key);
    if (!to) return;
    event.preventDefault();
    setCurrent(to);
    frame.current?.querySelector<HTMLElement>(`[data-node="${to}"]`)?.focus();
  }

  const way = useMemo(() => new Set(lit), [lit]);
  return (
    <div className="graph-frame" ref={frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be one for filling in */}
      <div
        className={way.size > 0 ? 'graph graph-lit' : 'graph'}
        style={{ width: layout.width, height: layout.height }}
        role="group"
        aria-label={`Code around ${placeOf(layout.spots.get(graph.center)!.node)}`}
        onKeyDown={onKeyDown}
      >
        <Links layout={layout} edges={graph.edges} lit={lit} pointed={pointed ?? current} />
        {[...layout.spots.values()].map((spot) => (
          <Place
            key={spot.node.node_id}
            spot={spot}
            isCenter={spot.node.node_id === graph.center}
            isLit={way.has(spot.node.node_id)}
            isTabStop={spot.node.node_id === tabStop}
            onWalk={onWalk}
            onPoint={setPointed}
            onFocus={setCurrent}
          />
        ))}
      </div>
    </div>
  );
}

/** Scrolls the center of a new graph to the middle of its frame. */
function useCentred(frame: React.RefObject<HTMLDivElement | null>, layout: Layout, center: string): void {
  useEffect(() => {
    const spot = layout.spots.get(center);
    const box = frame.current;
    if (!spot || !box) return;
    box.scrollTo({
      left: spot.x + NODE_WIDTH / 2 - box.clientWidth / 2,
      top: spot.y + NODE_HEIGHT / 2 - box.clientHeight / 2,
    });
  }, [frame, layout, center]);
}

interface PlaceProps {
  spot: Spot;
  isCenter: boolean;
  isLit: boolean;
  isTabStop: boolean;
  onWalk(place: string): void;
  onPoint(node: string | undefined): void;
  onFocus(node: string): void;
}

const Place = memo(function Place({
  spot: { node, x, y },
  isCenter,
  isLit,
  isTabStop,
  onWalk,
  onPoint,
  onFocus,
}: PlaceProps) {
  const place = placeOf(node);
  const classes = ['graph-node', `graph-${node.kind}`, isCenter && 'graph-center', isLit && 'is-lit'];
  return (
    <button
      type="button"
      className={classes.filter(Boolean).join(' ')}
      style={{ transform: `translate(${x}px, ${y}px)`, width: NODE_WIDTH, height: NODE_HEIGHT }}
      data-node={node.node_id}
      tabIndex={isTabStop ? 0 : -1}
      title={place}
      aria-label={describe(node, isCenter)}
      aria-current={isCenter ? 'location' : undefined}
      onClick={() => onWalk(place)}
      onFocus={() => onFocus(node.node_id)}
      onPointerEnter={() => onPoint(node.node_id)}
      onPointerLeave={() => onPoint(undefined)}
    >
      <span className="graph-name">{nameOf(place)}</span>
      {node.lessons > 0 && (
        <span
          className={node.stale_lessons > 0 ? 'graph-pin graph-pin-stale' : 'graph-pin'}
          data-count={node.lessons}
        >
          <PinIcon size={12} />
        </span>
      )}
    </button>
  );
});

function describe(node: GraphNode, isCenter: boolean): string {
  const parts = [
    placeOf(node),
    node.kind,
    isCenter ? 'the centre' : `${plural(node.hops, 'step')} away`,
    node.lessons > 0 && plural(node.lessons, 'lesson'),
    node.stale_lessons > 0 && `${node.stale_lessons} stale`,
  ];
  return parts.filter(Boolean).join(', ');
}

interface LinksProps {
  layout: Layout;
  edges: GraphEdge[];
  lit: readonly string[];
  pointed: string;
}

const Links = memo(function Links({ layout, edges, lit, pointed }: LinksProps) {
  const steps = useMemo(
    () => new Set(lit.slice(1).flatMap((node, at) => [`${lit[at]} ${node}`, `${node} ${lit[at]}`])),
    [lit],
  );
  return (
    <svg
      className="graph-links"
      width={layout.width}
      height={layout.height}
      aria-hidden="true"
      focusable="false"
    >
      {edges.map((edge) => {
        const from = layout.spots.get(edge.from);
        const to = layout.spots.get(edge.to);
        if (!from || !to) return null;
        const classes = [
          'graph-link',
          `graph-link-${edge.kind}`,
          steps.has(`${edge.from} ${edge.to}`) && 'is-lit',
          (edge.from === pointed || edge.to === pointed) && 'is-pointed',
        ];
        return (
          <path
            key={`${edge.from} ${edge.to} ${edge.kind}`}
            className={classes.filter(Boolean).join(' ')}
            d={curveBetween(from, to)}
          />
        );
      })}
    </svg>
  );
});

/** Connects the facing sides of two places; within a column the curve goes around it. */
function curveBetween(one: Spot, other: Spot): string {
  const [left, right] = one.x <= other.x ? [one, other] : [other, one];
  const y1 = left.y + NODE_HEIGHT / 2;
  const y2 = right.y + NODE_HEIGHT / 2;
  const x1 = left.x + NODE_WIDTH;
  if (right.x - left.x < NODE_WIDTH + 1) {
    const bend = x1 + 14 + Math.min(30, Math.abs(y2 - y1) / 8);
    return `M${x1},${y1} C${bend},${y1} ${bend},${y2} ${right.x + NODE_WIDTH},${y2}`;
  }
  const bend = Math.min(90, (right.x - x1) / 2 + 10);
  return `M${x1},${y1} C${x1 + bend},${y1} ${right.x - bend},${y2} ${right.x},${y2}`;
}
