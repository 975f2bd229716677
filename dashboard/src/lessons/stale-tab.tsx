import { listLessons } from '../api/lessons.js';
import { usePages } from '../api/resource.js';
import { Empty, Loaded, More } from '../ui/feedback.js';
import { walkRows } from '../ui/row-focus.js';
import { Candidates } from './candidates.js';
import { LessonRow } from './lesson-row.js';
import { plural } from './places.js';

const SHOWN_WITH_CANDIDATES = 10;

export function StaleTab({ projectId }: { projectId: string }) {
  const pages = usePages(`lessons:${projectId}:stale`, (cursor, signal) =>
    listLessons(projectId, { stale: true }, cursor, signal),
  );
  return (
    <Loaded of={pages}>
      {(data) => {
        const lessons = data.flatMap(({ items }) => items);
        const total = data[0]?.total ?? 0;
        if (lessons.length === 0)
          return (
            <Empty title="No stale lessons">
              A lesson goes stale when the code it is anchored to is removed. Code that moves takes its
              lessons with it.
            </Empty>
          );
        return (
          <section className="stack-tight" aria-label="Stale lessons" onKeyDown={walkRows}>
            <p className="muted small">
              {plural(total, 'stale lesson')}. Give each a new anchor in its file, or delete the file.
            </p>
            <ul className="rows">
              {lessons.map((lesson, at) => (
                <li key={lesson.path}>
                  <LessonRow lesson={{ ...lesson, anchors: undefined }}>
                    <span className="warn small">{lesson.stale_reason}</span>
                  </LessonRow>
                  {at < SHOWN_WITH_CANDIDATES && (
                    <div className="stale-places">
                      <Candidates projectId={projectId} anchors={lesson.anchors} />
                    </div>
                  )}
                </li>
              ))}
            </ul>
            <More
              shown={lessons.length}
              total={total}
              noun="stale lessons"
              readMore={pages.readMore}
              busy={pages.readingMore}
            />
          </section>
        );
      }}
    </Loaded>
  );
}
