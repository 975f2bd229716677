import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type IndexState, readIndex, readProject, searchLessons, startIndex } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { usePlace } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Badge, Time, type Tone } from '../ui/display.js';
import { Empty, ErrorNote, Loaded, Skeleton } from '../ui/feedback.js';
import { Page, Section, Tabs } from '../ui/page.js';
import { AnchorSearch } from './anchor-search.js';
import { LessonRow } from './lesson-row.js';
import { NearSearch } from './near-search.js';

const RUNNING_POLL_MS = 2000;
const SETTLED_POLL_MS = 30_000;
const TABS = [
  { key: 'anchor', label: 'By anchor' },
  { key: 'near', label: 'Near code' },
  { key: 'stale', label: 'Stale' },
];

export function ProjectPage({ projectId }: { projectId: string }) {
  const project = useResource(`project:${projectId}`, (signal) => readProject(projectId, signal));
  const { query, path } = usePlace();
  const tab = query.get('tab') ?? 'anchor';
  return (
    <Page
      title={project.data?.name ?? 'Project'}
      back={{ to: '/dashboard/lessons', label: 'Lessons' }}
      lead={project.data?.repository && <span className="mono">{project.data.repository.url}</span>}
    >
      {project.fault && !project.data ? (
        <ErrorNote fault={project.fault} onRetry={project.reload} />
      ) : (
        <>
          <IndexSection projectId={projectId} attached={Boolean(project.data?.repository)} />
          <Tabs
            label="Ways to find lessons"
            tabs={TABS.map(({ key, label }) => ({
              to: key === 'anchor' ? path : `${path}?tab=${key}`,
              label,
              current: tab === key,
            }))}
          />
          {tab === 'anchor' && <AnchorSearch projectId={projectId} />}
          {tab === 'near' && <NearSearch projectId={projectId} />}
          {tab === 'stale' && <StaleList projectId={projectId} />}
        </>
      )}
    </Page>
  );
}

const TONES: Record<IndexState['status'], Tone> = {
  queued: 'info',
  running: 'info',
  ready: 'good',
  failed: 'bad',
};

function IndexSection({ projectId, attached }: { projectId: string; attached: boolean }) {
  const key = `index:${projectId}`;
  const [running, setRunning] = useState(false);
  const index = useResource(
    key,
    async (signal) => {
      const read = await readIndex(projectId, signal);
      setRunning(read.status === 'queued' || read.status === 'running');
      return read;
    },
    { pollMs: running ? RUNNING_POLL_MS : SETTLED_POLL_MS },
  );
  const start = useAction(async () => {
    await startIndex(projectId);
    index.reload();
  });
  const state = index.data;
  return (
    <Section
      title="Index"
      actions={
        attached && (
          <Button small busy={start.busy} onClick={() => void start.run()}>
            Index now
          </Button>
        )
      }
    >
      {start.fault && <ErrorNote fault={start.fault} />}
      {!attached && !index.loading && (
        <p className="muted">No repository is attached, so there is no code to index.</p>
      )}
      {state ? (
        <IndexFigures state={state} />
      ) : (
        attached && (index.fault ? <p className="muted">{index.fault.message}</p> : <Skeleton rows={1} />)
      )}
    </Section>
  );
}

function IndexFigures({ state }: { state: IndexState }) {
  const figures: [string, number][] = [
    ['files', state.files],
    ['nodes', state.nodes],
    ['edges', state.edges],
    ['lessons', state.lessons],
  ];
  return (
    <div className="stack-tight">
      <div className="row-title">
        <Badge tone={TONES[state.status]}>{state.status}</Badge>
        {state.commit && (
          <span className="mono" title={state.commit}>
            {state.commit.slice(0, 10)}
          </span>
        )}
        {figures.map(([name, count]) => (
          <span key={name}>
            <strong>{count}</strong> <span className="muted">{name}</span>
          </span>
        ))}
        {state.finished_at && (
          <span className="muted">
            finished <Time at={state.finished_at} />
          </span>
        )}
      </div>
      {state.error && <div className="note note-error">{state.error}</div>}
      {state.warnings.length > 0 && (
        <details>
          <summary>
            {state.warnings.length} {state.warnings.length === 1 ? 'warning' : 'warnings'}
          </summary>
          <ul className="plain-list">
            {state.warnings.map((warning) => {
              const text = typeof warning === 'string' ? warning : JSON.stringify(warning);
              return <li key={text}>{text}</li>;
            })}
          </ul>
        </details>
      )}
    </div>
  );
}

function StaleList({ projectId }: { projectId: string }) {
  const stale = useResource(`stale:${projectId}`, (signal) =>
    searchLessons({ project_id: projectId, stale: true, limit: 500 }, signal),
  );
  return (
    <Loaded of={stale}>
      {(data) =>
        data.items.length === 0 ? (
          <Empty title="No stale lessons">
            A lesson goes stale when the code it is anchored to is removed.
          </Empty>
        ) : (
          <ul className="rows">
            {data.items.map((lesson) => (
              <li key={lesson.id}>
                <LessonRow lesson={lesson} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
