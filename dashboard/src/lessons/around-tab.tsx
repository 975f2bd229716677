import { type FormEvent, useEffect, useMemo, useState } from 'react';
import {
  EDGES,
  type Edge,
  findNear,
  type NearAnswer,
  type NearLesson,
  ROOT,
  readGraph,
} from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { Link, navigate, usePlace, withParameters } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Badge, plainWords, sentence } from '../ui/display.js';
import { Empty, ErrorNote, Loaded, Note, Skeleton } from '../ui/feedback.js';
import { browseAddress, readerAddress } from './addresses.js';
import { GraphPicture } from './graph/graph-picture.js';
import { useLayout } from './graph/use-layout.js';
import { PinnedSign, TypeBadge } from './lesson-row.js';
import { PathField } from './path-field.js';
import { folderOf, nameOfLesson, plural } from './places.js';
import { useTitles } from './use-titles.js';

const DEPTHS = ['1', '2', '3'];
const MOST_PLACES = 120;

interface Question {
  at: string;
  depth: string;
  kinds: Edge[];
}

function useQuestion(): Question {
  const { query } = usePlace();
  const named = query.get('kinds')?.split(',');
  const depth = query.get('depth') ?? '';
  return {
    at: query.get('at') || ROOT,
    depth: DEPTHS.includes(depth) ? depth : '1',
    kinds: named ? EDGES.filter((edge) => named.includes(edge)) : ['import', 'contains'],
  };
}

const NONE: readonly string[] = [];

export function AroundTab({ projectId }: { projectId: string }) {
  const question = useQuestion();
  const { at, depth, kinds } = question;
  const lit = usePlace().query.get('lit');
  const key = `${projectId}:${at}:${depth}:${kinds.join()}`;
  const graph = useResource(
    `graph:${key}`,
    (signal) =>
      readGraph(
        projectId,
        { path: at, depth: Number(depth), kinds: kinds.join(), limit: MOST_PLACES },
        signal,
      ),
    { keep: true },
  );
  const near = useResource(
    `near:${key}`,
    (signal) => findNear({ project_id: projectId, paths: [at], depth: Number(depth), kinds }, signal),
    { keep: true },
  );
  const drawn = useLayout(graph.data);
  const way = near.data?.entries.find(({ path }) => path === lit)?.path_to;
  const litNodes = useMemo(() => way?.map(({ node_id }) => node_id) ?? NONE, [way]);
  useAroundCommands(at);
  return (
    <section className="around" aria-label="Code around a place">
      <AroundForm projectId={projectId} {...question} />
      <div className="around-halves">
        <div className="stack-tight">
          {/* Keep the previous graph while the next one loads or fails to load. */}
          {graph.fault && <ErrorNote fault={graph.fault} onRetry={graph.reload} />}
          {drawn ? (
            <>
              <GraphPicture drawn={drawn} lit={litNodes} onWalk={walkTo} />
              <GraphKey
                places={drawn.graph.nodes.length}
                truncated={drawn.graph.truncated}
                at={at}
                projectId={projectId}
              />
            </>
          ) : (
            !graph.fault && <Skeleton rows={8} />
          )}
        </div>
        <Loaded of={near} rows={4}>
          {(data) => <NearLessons answer={data} lit={lit} projectId={projectId} />}
        </Loaded>
      </div>
    </section>
  );
}

const walkTo = (place: string): void => navigate(withParameters({ at: place, lit: null }));

function useAroundCommands(at: string): void {
  useCommands(
    useMemo(
      () => [
        {
          id: 'walk-up',
          label: 'Walk to the folder above',
          group: 'Lessons',
          keys: 'u',
          perform: () => walkTo(folderOf(at)),
        },
        ...DEPTHS.map((depth) => ({
          id: `depth-${depth}`,
          label: `Show ${plural(Number(depth), 'step')} around`,
          group: 'Lessons',
          keys: depth,
          perform: () => navigate(withParameters({ depth }), { replace: true }),
        })),
        {
          id: 'way-off',
          label: 'Clear the highlighted path',
          group: 'Lessons',
          perform: () => navigate(withParameters({ lit: null }), { replace: true }),
        },
      ],
      [at],
    ),
  );
}

function AroundForm({ projectId, at, depth, kinds }: Question & { projectId: string }) {
  const [path, setPath] = useState(at);
  useEffect(() => setPath(at), [at]);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (path.trim()) walkTo(path.trim());
  }
  return (
    <form className="knowledge-bar" onSubmit={submit}>
      <PathField
        projectId={projectId}
        label="A file, a folder/ or path#Symbol"
        value={path}
        onChange={setPath}
      />
      <Button type="submit" disabled={path.trim() === '' || path.trim() === at}>
        Go there
      </Button>
      <fieldset className="segments">
        <legend className="off-screen">Steps</legend>
        {DEPTHS.map((each) => (
          <button
            key={each}
            type="button"
            className="segment"
            aria-pressed={each === depth}
            onClick={() => navigate(withParameters({ depth: each }), { replace: true })}
          >
            {plural(Number(each), 'step')}
          </button>
        ))}
      </fieldset>
      <fieldset className="chips">
        <legend className="off-screen">Links to follow</legend>
        {EDGES.map((edge) => (
          <button
            key={edge}
            type="button"
            className="chip"
            aria-pressed={kinds.includes(edge)}
            // At least one kind of link must stay selected.
            disabled={kinds.length === 1 && kinds[0] === edge}
            onClick={() => {
              const chosen = EDGES.filter((each) => (each === edge) !== kinds.includes(each));
              navigate(withParameters({ kinds: chosen.join() }), { replace: true });
            }}
          >
            {sentence(edge)}
          </button>
        ))}
      </fieldset>
    </form>
  );
}

interface KeyProps {
  places: number;
  truncated: boolean;
  at: string;
  projectId: string;
}

function GraphKey({ places, truncated, at, projectId }: KeyProps) {
  return (
    <div className="graph-key small muted">
      <span role="status">
        {plural(places, 'place')}
        {truncated && ', the nearest; there are more'}
      </span>
      <span>left: what uses it; right: what it uses or holds</span>
      <span className="key-link key-import">import</span>
      <span className="key-link key-contains">contains</span>
      <span className="key-link key-call">call</span>
      {at !== ROOT && (
        <>
          <Link to={withParameters({ at: folderOf(at), lit: null })}>Folder above</Link>
          <Link to={browseAddress(projectId, at)}>Its lessons</Link>
        </>
      )}
    </div>
  );
}

interface NearProps {
  answer: NearAnswer;
  lit: string | null;
  projectId: string;
}

function NearLessons({ answer, lit, projectId }: NearProps) {
  const titles = useTitles(projectId);
  const { entries, damped } = answer;
  return (
    <section className="stack-tight near" aria-label="Lessons near it">
      <h2>Lessons near it</h2>
      {answer.degraded && <Note tone="warn">The answer is incomplete: {plainWords(answer.degraded)}.</Note>}
      {entries.length === 0 ? (
        <Empty title={answer.reached_nodes === 0 ? 'This code no longer exists' : 'No lessons nearby'}>
          {answer.reached_nodes === 0
            ? 'It was moved or removed, or never indexed.'
            : 'Try more steps or other links.'}
        </Empty>
      ) : (
        <>
          <p className="muted small">
            {plural(entries.length, 'lesson')}, nearest first{answer.truncated && '; there are more'}. Choose
            one to highlight the path to it.
          </p>
          <ul className="rows">
            {entries.map((lesson) => (
              <li key={lesson.path}>
                <NearRow lesson={lesson} title={titles.get(lesson.path)} isLit={lesson.path === lit} />
              </li>
            ))}
          </ul>
        </>
      )}
      {damped.length > 0 && (
        <p className="muted small">
          Not walked past {damped.map(({ path, degree }) => `${path} (${degree} links)`).join(', ')}.
        </p>
      )}
    </section>
  );
}

const describeHops = (hops: number): string => (hops === 0 ? 'here' : `${plural(hops, 'step')} away`);

function NearRow({
  lesson,
  title,
  isLit,
}: {
  lesson: NearLesson;
  title: string | undefined;
  isLit: boolean;
}) {
  const name = title || nameOfLesson(lesson.path);
  return (
    <div className={isLit ? 'row near-row is-lit' : 'row near-row'}>
      <span className="row-main">
        <button
          type="button"
          className="near-choice"
          aria-pressed={isLit}
          onClick={() => navigate(withParameters({ lit: isLit ? null : lesson.path }), { replace: true })}
        >
          {lesson.pinned && <PinnedSign />}
          <TypeBadge type={lesson.type} />
          <strong>{name}</strong>
          {lesson.stale && <Badge tone="warn">stale</Badge>}
          <Badge tone="info">{describeHops(lesson.hops)}</Badge>
        </button>
        {isLit && lesson.path_to.length > 1 && <Way steps={lesson.path_to} />}
      </span>
      <Link
        className="small"
        to={readerAddress(lesson.path)}
        data-row={lesson.path}
        aria-label={`Read ${name}`}
      >
        Read
      </Link>
    </div>
  );
}

function Way({ steps }: { steps: NearLesson['path_to'] }) {
  return (
    <ol className="way small" aria-label="Path">
      {steps.map((step) => (
        <li key={step.node_id}>
          {step.edge && <span className="muted">{plainWords(step.edge)} → </span>}
          <span className="mono">{step.path}</span>
        </li>
      ))}
    </ol>
  );
}
