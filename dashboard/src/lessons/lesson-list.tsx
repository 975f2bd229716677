import { listLessons } from '../api/lessons.js';
import { usePages } from '../api/resource.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { Empty, Loaded, More } from '../ui/feedback.js';
import { walkRows } from '../ui/row-focus.js';
import { LESSON_TYPES } from './lesson-file.js';
import { LessonRow } from './lesson-row.js';
import { plural } from './places.js';

export function LessonList({ projectId }: { projectId: string }) {
  const type = usePlace().query.get('type') ?? '';
  const pages = usePages(
    `lessons:${projectId}:all:${type}`,
    (cursor, signal) => listLessons(projectId, { type: type || undefined }, cursor, signal),
    { keep: true },
  );
  return (
    <Loaded of={pages}>
      {(data) => {
        const lessons = data.flatMap(({ items }) => items);
        const total = data[0]?.total ?? 0;
        return (
          <section className="stack-tight" aria-label="All lessons" onKeyDown={walkRows}>
            <div className="section-head">
              <p className="muted small" role="status">
                {plural(total, 'lesson')}
                {type && ` of type ${type}`}
              </p>
              <TypeFilter type={type} seen={lessons.map((lesson) => lesson.type)} />
            </div>
            {lessons.length === 0 ? (
              <Empty title={type ? `No lesson of type ${type}` : 'No lessons yet'}>
                {type ? (
                  'Choose all types to see other lessons.'
                ) : (
                  <>
                    Put Markdown files into <code>lessons/</code> in the repository with anchors in the front
                    matter, then index it.
                  </>
                )}
              </Empty>
            ) : (
              <ul className="rows">
                {lessons.map((lesson) => (
                  <li key={lesson.path}>
                    <LessonRow lesson={lesson} />
                  </li>
                ))}
              </ul>
            )}
            <More
              shown={lessons.length}
              total={total}
              noun="lessons"
              readMore={pages.readMore}
              busy={pages.readingMore}
            />
          </section>
        );
      }}
    </Loaded>
  );
}

function TypeFilter({ type, seen }: { type: string; seen: string[] }) {
  const types = [...new Set([...LESSON_TYPES, ...seen, ...(type ? [type] : [])])].sort();
  return (
    <select
      className="input select type-filter"
      aria-label="Type of the lessons"
      value={type}
      onChange={(event) => navigate(withParameters({ type: event.target.value }), { replace: true })}
    >
      <option value="">All types</option>
      {types.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}
