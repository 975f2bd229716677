import { useResource } from '../api/resource.js';
import {
  addressOfHit,
  type Found,
  isKind,
  KIND_NAMES,
  LONGEST_QUESTION,
  type SearchGroup,
  type SearchHit,
  type SearchKind,
  searchEverything,
} from '../api/search.js';
import { Link, usePlace, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Empty, Loaded, Note } from '../ui/feedback.js';
import { SearchIcon } from '../ui/icons.js';
import { Page, Section } from '../ui/page.js';
import { useTypedParameter } from '../ui/typed-parameter.js';
import { besideHit, HitText } from './marked.js';

const MOST_OF_EACH = 10;
const MOST_OF_ONE = 50;

export function SearchPage() {
  const typed = useTypedParameter('q');
  const given = usePlace().query.get('kind');
  const kind = isKind(given) ? given : undefined;
  const asked = typed.asked.slice(0, LONGEST_QUESTION);
  const found = useResource(
    asked ? `search:${kind ?? ''}:${asked}` : null,
    (signal) => searchEverything(asked, { limit: kind ? MOST_OF_ONE : MOST_OF_EACH, kind }, signal),
    { keep: true },
  );
  return (
    <Page title="Search" tabTitle={asked ? `Search: ${asked}` : 'Search'}>
      <label className="search-box search-page-field">
        <SearchIcon size={16} />
        <span className="off-screen">Search everything</span>
        <input
          type="search"
          placeholder="Words, or a card such as PB-322"
          maxLength={LONGEST_QUESTION}
          autoComplete="off"
          value={typed.text}
          onChange={(event) => typed.setText(event.target.value)}
        />
      </label>
      <Kinds chosen={kind} />
      {asked === '' ? (
        <Empty title="What are you looking for?">
          Cards by their words or number, boards, people, agents, memories, lessons, builds and projects.
        </Empty>
      ) : (
        <Loaded of={found}>{(answer) => <Answer answer={answer} kind={kind} />}</Loaded>
      )}
    </Page>
  );
}

/** Guests see only boards. */
const GUEST_KINDS: string[] = ['card', 'board'];

function Kinds({ chosen }: { chosen: SearchKind | undefined }) {
  const { role } = useSession();
  const kinds = Object.entries(KIND_NAMES).filter(([kind]) => role !== 'guest' || GUEST_KINDS.includes(kind));
  return (
    <nav className="search-kinds" aria-label="Search text">
      <KindLink kind={null} label="Everything" current={chosen === undefined} />
      {kinds.map(([kind, label]) => (
        <KindLink key={kind} kind={kind} label={label} current={chosen === kind} />
      ))}
    </nav>
  );
}

const KindLink = ({ kind, label, current }: { kind: string | null; label: string; current: boolean }) => (
  <Link to={withParameters({ kind })} className="chip chip-link" aria-current={current ? 'page' : undefined}>
    {label}
  </Link>
);

function Answer({ answer, kind }: { answer: Found; kind: SearchKind | undefined }) {
  const { groups, late } = answer;
  return (
    <div aria-live="polite">
      {late.length > 0 && (
        <Note tone="warn">
          {late.map((each) => KIND_NAMES[each]).join(', ')} took too long and are left out. Try again, or with
          more words.
        </Note>
      )}
      {groups.length === 0 && late.length === 0 && (
        <Empty title="No results">A result contains every word.</Empty>
      )}
      {groups.map((group) => (
        <Group key={group.kind} group={group} alone={kind !== undefined} />
      ))}
    </div>
  );
}

function Group({ group: { kind, hits, more }, alone }: { group: SearchGroup; alone: boolean }) {
  return (
    <Section title={KIND_NAMES[kind]}>
      <ul className="search-hits">
        {hits.map((hit) => (
          <Hit key={hit.id} hit={hit} />
        ))}
      </ul>
      {more &&
        (alone ? (
          <p className="muted">These are the first {hits.length}; more words find fewer.</p>
        ) : (
          <Link to={withParameters({ kind })}>More {KIND_NAMES[kind].toLowerCase()}</Link>
        ))}
    </Section>
  );
}

const Hit = ({ hit }: { hit: SearchHit }) => (
  <li>
    <Link to={addressOfHit(hit)} className="search-hit">
      {hit.ref && hit.kind !== 'build' && <span className="mono muted">{hit.ref}</span>}
      <HitText hit={hit} />
      <span className="hit-beside">{besideHit(hit)}</span>
    </Link>
  </li>
);
