import { type FormEvent, type ReactNode, useState } from 'react';
import { type MergeImpact, type Project, readImpact } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { TextField } from '../ui/field.js';
import { LessonRow, type RowLesson } from './lesson-row.js';
import { plural } from './places.js';
import { useTitles } from './use-titles.js';

export function ImpactTab({ project }: { project: Project }) {
  const { query } = usePlace();
  const asked = { base: query.get('base') ?? '', head: query.get('head') ?? '' };
  const [base, setBase] = useState(asked.base || project.repository?.branch || 'main');
  const [head, setHead] = useState(asked.head);
  const ready = asked.base !== '' && asked.head !== '';
  const impact = useResource(
    ready ? `impact:${project.project_id}:${asked.base}:${asked.head}` : null,
    (signal) => readImpact(project.project_id, asked.base, asked.head, signal),
    { freshMs: 10_000 },
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    const same = base.trim() === asked.base && head.trim() === asked.head;
    if (same) impact.reload();
    else navigate(withParameters({ base: base.trim(), head: head.trim() }), { replace: true });
  }
  return (
    <section className="stack" aria-label="Impact of a branch">
      <form className="impact-form" onSubmit={submit}>
        <TextField
          label="Merge"
          placeholder="a branch, tag or commit"
          required
          value={head}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setHead(event.target.value)}
        />
        <TextField
          label="into"
          required
          value={base}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setBase(event.target.value)}
        />
        <Button type="submit" tone="primary" busy={ready && impact.refreshing}>
          Show impact
        </Button>
      </form>
      {ready ? (
        <Loaded of={impact}>{(data) => <Impact impact={data} projectId={project.project_id} />}</Loaded>
      ) : (
        <Empty title="Which lessons would a branch change?">
          Enter a branch and its target. Update lessons that would go stale before you merge.
        </Empty>
      )}
    </section>
  );
}

function Impact({ impact, projectId }: { impact: MergeImpact; projectId: string }) {
  const titles = useTitles(projectId);
  const { stale, moved, touched } = impact;
  if (stale.length + moved.length + touched.length === 0)
    return <Empty title="No lessons affected">The branch does not touch code with lessons.</Empty>;
  const named = <L extends RowLesson>(lesson: L): L => ({ ...lesson, title: titles.get(lesson.path) });
  return (
    <div className="stack">
      <Group
        title="Would go stale"
        lead="Their code is removed. Give them a new anchor or retire them."
        count={stale.length}
      >
        {stale.map((lesson) => (
          <li key={lesson.path}>
            <LessonRow lesson={{ ...named(lesson), stale: true }} />
          </li>
        ))}
      </Group>
      <Group
        title="Would move"
        lead="These lessons move with their code. No action is needed."
        count={moved.length}
      >
        {moved.map((lesson) => (
          <li key={lesson.path}>
            <LessonRow lesson={named(lesson)}>
              {lesson.moves.map(({ from, to }) => (
                <span key={`${from} ${to}`} className="mono small muted">
                  {from} → {to}
                </span>
              ))}
            </LessonRow>
          </li>
        ))}
      </Group>
      <Group
        title="Touched"
        lead="Their code changes. Check whether they still apply."
        count={touched.length}
      >
        {touched.map((lesson) => (
          <li key={lesson.path}>
            <LessonRow lesson={named(lesson)} />
          </li>
        ))}
      </Group>
    </div>
  );
}

interface GroupProps {
  title: string;
  lead: string;
  count: number;
  children: ReactNode;
}

function Group({ title, lead, count, children }: GroupProps) {
  if (count === 0) return null;
  return (
    <section className="stack-tight" aria-label={title}>
      <h2>{title}</h2>
      <p className="muted small">
        {plural(count, 'lesson')}. {lead}
      </p>
      <ul className="rows">{children}</ul>
    </section>
  );
}
