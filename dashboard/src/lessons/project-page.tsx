import { useMemo } from 'react';
import { countLessons, type Project, readProject, startIndex } from '../api/lessons.js';
import { refresh, useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { goBackTo, navigate, usePlace, withParameters } from '../shell/router.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Page, Tabs } from '../ui/page.js';
import { stepRows, useFocusKept } from '../ui/row-focus.js';
import { useToast } from '../ui/toast.js';
import { AroundTab } from './around-tab.js';
import { BrowseTab } from './browse-tab.js';
import { ImpactTab } from './impact-tab.js';
import { IndexStrip } from './index-strip.js';
import { LessonDrawer } from './lesson-drawer.js';
import { RepositoryTab } from './repository-tab.js';
import { StaleTab } from './stale-tab.js';
import { useIndex } from './use-index.js';

const TABS = [
  { key: 'browse', label: 'Browse' },
  { key: 'around', label: 'Around code' },
  { key: 'stale', label: 'Stale' },
  { key: 'impact', label: 'Impact of a branch' },
  { key: 'repository', label: 'Repository' },
];

export function ProjectPage({ projectId }: { projectId: string }) {
  const project = useResource(`project:${projectId}`, (signal) => readProject(projectId, signal));
  const lesson = usePlace().query.get('lesson');
  useFocusKept(lesson);
  return (
    <Page
      wide
      title={project.data?.name ?? 'Project'}
      back={{ to: '/dashboard/lessons', label: 'Lessons' }}
      lead={project.data?.repository && <span className="mono">{project.data.repository.url}</span>}
    >
      <Loaded of={project}>{(data) => <ProjectBody project={data} />}</Loaded>
      {lesson && (
        <LessonDrawer
          key={lesson}
          projectId={projectId}
          path={lesson}
          onClose={() => goBackTo(withParameters({ lesson: null }))}
        />
      )}
    </Page>
  );
}

function ProjectBody({ project }: { project: Project }) {
  const { query, path } = usePlace();
  const projectId = project.project_id;
  const attached = project.repository !== null;
  const index = useIndex(projectId, attached);
  const counts = useResource(`lesson-counts:${projectId}`, (signal) => countLessons(projectId, signal), {
    freshMs: 5000,
  });
  const tab = TABS.find(({ key }) => key === query.get('tab'))?.key ?? 'browse';
  // The counts are from the last successful index run, so a failed run keeps the code browsable.
  const indexed = (index.data?.nodes ?? 0) > 0;
  useProjectCommands(projectId, path, attached);
  return (
    <>
      <IndexStrip projectId={projectId} attached={attached} index={index} />
      <Tabs
        label="Ways to lessons"
        tabs={TABS.map(({ key, label }) => ({
          to: key === 'browse' ? path : `${path}?tab=${key}`,
          label: key === 'stale' && counts.data?.stale ? `${label} (${counts.data.stale})` : label,
          current: tab === key,
        }))}
      />
      {tab === 'browse' && <BrowseTab projectId={projectId} indexed={indexed} />}
      {tab === 'around' && (indexed ? <AroundTab projectId={projectId} /> : <NoCode attached={attached} />)}
      {tab === 'stale' && <StaleTab projectId={projectId} />}
      {tab === 'impact' && (attached ? <ImpactTab project={project} /> : <NoCode attached={false} />)}
      {tab === 'repository' && <RepositoryTab project={project} />}
    </>
  );
}

function NoCode({ attached }: { attached: boolean }) {
  return attached ? (
    <Empty title="The code is not indexed yet">The map appears after the first index run.</Empty>
  ) : (
    <Empty title="No repository is attached">Attach one under Repository to index its code.</Empty>
  );
}

function useProjectCommands(projectId: string, path: string, attached: boolean): void {
  const toast = useToast();
  useCommands(
    useMemo(
      () => [
        ...TABS.map(({ key, label }) => ({
          id: `lessons-${key}`,
          label: `Lessons: ${label.toLowerCase()}`,
          group: 'Lessons',
          perform: () => navigate(key === 'browse' ? path : `${path}?tab=${key}`),
        })),
        {
          id: 'next-lesson',
          label: 'Next lesson',
          group: 'Lessons',
          keys: 'j',
          perform: () => stepRows(1),
        },
        {
          id: 'lesson-before',
          label: 'Previous lesson',
          group: 'Lessons',
          keys: 'k',
          perform: () => stepRows(-1),
        },
        ...(attached
          ? [
              {
                id: 'index-now',
                label: 'Index the code now',
                group: 'Lessons',
                perform: () =>
                  void startIndex(projectId).then(
                    () => refresh(`index:${projectId}`),
                    (error: Error) => toast({ text: error.message, tone: 'error' }),
                  ),
              },
            ]
          : []),
      ],
      [projectId, path, attached, toast],
    ),
  );
}
