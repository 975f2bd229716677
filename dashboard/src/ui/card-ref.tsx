import { Fragment, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useResource } from '../api/resource.js';
import { addressOfCard, type FoundCard, findCards } from '../api/work.js';
import { Link } from '../shell/router.js';
import { StatusMark } from './card-marks.js';
import { Avatar } from './display.js';
import { placeBeside } from './popover.js';

/** A card reference that is not part of a longer word, a path or a URL. */
const REF = /(?<![\w/#.@-])[A-Z][A-Z0-9]{0,19}-[1-9]\d{0,8}(?![\w-])/g;

/** Links card references in a text to the cards that the reader may open. */
export function withRefs(text: string): ReactNode {
  const found = [...text.matchAll(REF)];
  if (found.length === 0) return text;
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { 0: ref, index } of found) {
    parts.push(text.slice(end, index), <CardRef key={index} text={ref} />);
    end = index + ref.length;
  }
  return <Fragment>{[...parts, text.slice(end)]}</Fragment>;
}

const FRESH_MS = 60_000;

function CardRef({ text }: { text: string }) {
  const { data: card } = useResource(`ref:${text}`, () => lookUp(text), { freshMs: FRESH_MS });
  const [shown, setShown] = useState(false);
  const link = useRef<HTMLSpanElement>(null);
  const id = useId();
  // A native listener runs before the surrounding dialog, which would close too.
  useEffect(() => {
    const element = link.current;
    if (!shown || !element) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      setShown(false);
    };
    element.addEventListener('keydown', onKey);
    return () => element.removeEventListener('keydown', onKey);
  }, [shown]);
  if (!card) return text;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what it shows on pointing, it shows on focus too
    <span
      ref={link}
      onMouseEnter={() => setShown(true)}
      onMouseLeave={() => setShown(false)}
      onFocus={() => setShown(true)}
      onBlur={() => setShown(false)}
    >
      <Link to={addressOfCard(card)} aria-describedby={shown ? id : undefined}>
        {text}
      </Link>
      {shown && <Preview id={id} card={card} beside={link} />}
    </span>
  );
}

interface PreviewProps {
  id: string;
  card: FoundCard;
  beside: React.RefObject<HTMLElement | null>;
}

function Preview({ id, card, beside }: PreviewProps) {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const place = beside.current?.getBoundingClientRect();
    if (!element.current || !place) return;
    element.current.showPopover();
    placeBeside(element.current, place, 'left');
  }, [beside]);
  const owner = card.assignee?.name ?? card.assignee_agent_id;
  return (
    <span ref={element} id={id} role="tooltip" popover="manual" className="card-preview">
      <span className="card-preview-title">{card.title}</span>
      <span className="card-preview-marks">
        <StatusMark status={card.status} />
        {owner ? (
          <>
            <Avatar name={owner} size={18} /> {owner}
          </>
        ) : (
          <span className="muted">Unassigned</span>
        )}
      </span>
    </span>
  );
}

type Found = FoundCard | null;

const MOST_AT_ONCE = 100;
const GATHERING_MS = 20;
let asked = new Map<string, ((found: Promise<Found>) => void)[]>();

/** Combines the lookups of a page into one request. */
function lookUp(ref: string): Promise<Found> {
  if (asked.size === 0) setTimeout(ask, GATHERING_MS);
  return new Promise((resolve) => asked.set(ref, [...(asked.get(ref) ?? []), resolve]));
}

function ask(): void {
  const waiting = [...asked];
  asked = new Map();
  for (let from = 0; from < waiting.length; from += MOST_AT_ONCE) {
    const part = waiting.slice(from, from + MOST_AT_ONCE);
    const answer = findCards({ refs: part.map(([ref]) => ref).join(','), limit: MOST_AT_ONCE }, undefined);
    for (const [ref, resolvers] of part) {
      const found = answer.then(({ items }) => items.find((card) => card.ref === ref) ?? null);
      for (const resolve of resolvers) resolve(found);
    }
  }
}
