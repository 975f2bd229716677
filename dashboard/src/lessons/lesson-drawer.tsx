import { findLesson, type Lesson } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { Link } from '../shell/router.js';
import { CopyButton } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Badge, Facts, Time } from '../ui/display.js';
import { Empty, Loaded, Note } from '../ui/feedback.js';
import { Markdown } from '../ui/markdown.js';
import { aroundAddress } from './addresses.js';
import { Candidates } from './candidates.js';
import { PinnedSign, TypeBadge } from './lesson-row.js';
import { nameOfLesson } from './places.js';

interface DrawerProps {
  projectId: string;
  path: string;
  onClose(): void;
}

export function LessonDrawer({ projectId, path, onClose }: DrawerProps) {
  const lesson = useResource(`lesson:${projectId}:${path}`, (signal) => findLesson(projectId, path, signal));
  return (
    <Dialog shape="drawer" title="Lesson" onClose={onClose}>
      <Loaded of={lesson} rows={8}>
        {(data) =>
          data ? (
            <LessonText lesson={data} />
          ) : (
            <Empty title="This lesson no longer exists">
              {nameOfLesson(path)} has been removed, or retired in its file.
            </Empty>
          )
        }
      </Loaded>
    </Dialog>
  );
}

function LessonText({ lesson }: { lesson: Lesson }) {
  return (
    <article className="stack">
      <div className="row-title">
        {lesson.pinned && <PinnedSign />}
        <TypeBadge type={lesson.type} />
        {lesson.stale && <Badge tone="warn">stale</Badge>}
        {lesson.status !== 'live' && <Badge>{lesson.status}</Badge>}
      </div>
      <h3 className="drawer-title">{lesson.title || nameOfLesson(lesson.path)}</h3>
      {lesson.stale && (
        <Note tone="warn">Its code was removed: {lesson.stale_reason}. It may still apply elsewhere.</Note>
      )}
      <Markdown text={lesson.body.trim()} />
      <section className="stack-tight" aria-label="The code it is about">
        <h3>About this code</h3>
        {lesson.anchors.length === 0 ? (
          <p className="muted">It has no anchor.</p>
        ) : lesson.stale ? (
          <Candidates projectId={lesson.project_id} anchors={lesson.anchors} />
        ) : (
          <ul className="plain-list">
            {lesson.anchors.map((anchor) => (
              <li key={anchor} className="mono">
                <Link to={aroundAddress(lesson.project_id, anchor)}>{anchor}</Link>
              </li>
            ))}
          </ul>
        )}
      </section>
      <LessonFacts lesson={lesson} />
    </article>
  );
}

function LessonFacts({ lesson }: { lesson: Lesson }) {
  const items: [string, React.ReactNode][] = [
    [
      'File',
      <span key="f" className="file-line">
        <span className="mono">{lesson.path}</span>
        <CopyButton text={lesson.path} label="Copy path" />
      </span>,
    ],
    ['Author', lesson.author],
    ['Card', lesson.card && <CardLink key="c" card={lesson.card} />],
    ['Scope', lesson.scope],
    ['Superseded by', lesson.superseded_by],
    [
      'Moved',
      lesson.moves.length > 0 && (
        <span className="stack-tight">
          {lesson.moves.map(({ from, to, commit }) => (
            <span key={`${from} ${to} ${commit}`} className="mono small">
              {from} → {to} <span className="muted">in {commit.slice(0, 10)}</span>
            </span>
          ))}
        </span>
      ),
    ],
    ['Written', <Time key="w" at={lesson.created_at} />],
    ['Changed', <Time key="u" at={lesson.updated_at} />],
  ];
  return <Facts items={items.filter(([, value]) => Boolean(value))} />;
}

/** Finds the card by its reference with the search over all boards. */
const CardLink = ({ card }: { card: string }) => (
  <Link className="mono" to={`/dashboard/work?${new URLSearchParams({ q: card })}`}>
    {card}
  </Link>
);
