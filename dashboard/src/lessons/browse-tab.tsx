import { useEffect, useState } from 'react';
import { type AnchoredLesson, findNear, ROOT, searchLessons } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { Link, navigate, usePlace, withParameters } from '../shell/router.js';
import { Badge } from '../ui/display.js';
import { Empty, ErrorNote, Loaded } from '../ui/feedback.js';
import { Checkbox } from '../ui/field.js';
import { walkRows } from '../ui/row-focus.js';
import { aroundAddress } from './addresses.js';
import { CodeTree } from './code-tree.js';
import { LessonList } from './lesson-list.js';
import { LessonRow } from './lesson-row.js';
import { plural } from './places.js';
import { useTitles } from './use-titles.js';

interface BrowseProps {
  projectId: string;
  indexed: boolean;
}

/** The code tree with its lessons; without an index, a flat list of lessons. */
export function BrowseTab({ projectId, indexed }: BrowseProps) {
  const at = usePlace().query.get('at') ?? ROOT;
  const [onlyLessons, setOnlyLessons] = useState(false);
  if (!indexed) return <LessonList projectId={projectId} />;
  return (
    <div className="browse">
      <div className="browse-tree">
        <Checkbox label="Only where lessons are" checked={onlyLessons} onChange={setOnlyLessons} />
        <CodeTree
          projectId={projectId}
          chosen={at}
          onlyLessons={onlyLessons}
          onChoose={(path) => navigate(withParameters({ at: path === ROOT ? null : path }))}
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows walk through the rows inside */}
      <div className="browse-lessons" onKeyDown={walkRows}>
        {at === ROOT ? <LessonList projectId={projectId} /> : <PlaceLessons projectId={projectId} at={at} />}
      </div>
    </div>
  );
}

/** Lessons on a place and below it, then lessons inherited from parent folders. */
function PlaceLessons({ projectId, at }: { projectId: string; at: string }) {
  const titles = useTitles(projectId);
  const below = useResource(
    `near:${projectId}:below:${at}`,
    (signal) => findNear({ project_id: projectId, paths: [at], depth: 0 }, signal),
    { keep: true },
  );
  const around = useResource(
    `lessons:${projectId}:at:${at}`,
    (signal) => searchLessons({ project_id: projectId, anchor: at, limit: 100 }, signal),
    { keep: true },
  );
  const known = new Map(around.data?.items.map((lesson) => [lesson.path, lesson]));
  const here = below.data?.entries ?? [];
  const above = around.data?.items.filter(({ path }) => !here.some((lesson) => lesson.path === path)) ?? [];
  useEffect(() => {
    document.getElementById('place-heading')?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section className="stack" aria-label={`Lessons of ${at}`}>
      <header className="section-head">
        <h2 className="mono place-heading" id="place-heading">
          {at}
        </h2>
        <Link className="button button-small" to={aroundAddress(projectId, at)}>
          Show the code around it
        </Link>
      </header>
      {around.fault && !around.data && <ErrorNote fault={around.fault} onRetry={around.reload} />}
      <Loaded of={below} rows={3}>
        {(data) =>
          data.entries.length === 0 ? (
            <Empty title="No lesson on this code">
              {above.length > 0
                ? 'Lessons of the parent folders apply here too.'
                : 'Add one to lessons/ in the repository and anchor it here.'}
            </Empty>
          ) : (
            <div className="stack-tight">
              <p className="muted small">
                {plural(data.entries.length, 'lesson')} on it or under it
                {data.truncated && '; there are more'}
              </p>
              <ul className="rows">
                {data.entries.map((lesson) => (
                  <li key={lesson.path}>
                    <LessonRow
                      lesson={{
                        ...lesson,
                        title: known.get(lesson.path)?.title ?? titles.get(lesson.path),
                        anchors: known.get(lesson.path)?.anchors,
                      }}
                    />
                  </li>
                ))}
              </ul>
            </div>
          )
        }
      </Loaded>
      {above.length > 0 && <Above lessons={above} />}
    </section>
  );
}

function Above({ lessons }: { lessons: AnchoredLesson[] }) {
  return (
    <section className="stack-tight" aria-label="From around it">
      <h3>Also apply here</h3>
      <ul className="rows">
        {lessons.map((lesson) => (
          <li key={lesson.path}>
            <LessonRow lesson={lesson}>
              {lesson.matched_by && (
                <span>
                  <Badge>by {lesson.matched_by}</Badge>
                </span>
              )}
            </LessonRow>
          </li>
        ))}
      </ul>
    </section>
  );
}
