import { useMemo, useState } from 'react';
import { useAction } from '../api/action.js';
import { countLessons, createProject, listProjects, type Project } from '../api/lessons.js';
import { refresh, useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { Link, navigate } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { Badge } from '../ui/display.js';
import { useDraft } from '../ui/draft.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { LessonsIcon, PlusIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { useSeen } from '../ui/seen.js';
import { projectAddress } from './addresses.js';
import { plural } from './places.js';
import { EMPTY_PROJECT, ProjectFields, repositoryOf } from './project-fields.js';

export function LessonsPage() {
  const projects = useResource('projects', listProjects);
  const [making, setMaking] = useState(false);
  useCommands(
    useMemo(
      () => [
        {
          id: 'new-project',
          label: 'New project',
          group: 'Lessons',
          keys: 'n',
          words: 'add repository code',
          perform: () => setMaking(true),
        },
      ],
      [],
    ),
  );
  return (
    <Page
      wide
      title="Lessons"
      lead="Rules, decisions and gotchas, anchored to the code they are about."
      actions={
        <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setMaking(true)}>
          New project
        </Button>
      }
    >
      <Loaded of={projects}>
        {(data) =>
          data.projects.length === 0 ? (
            <Empty
              title="No projects yet"
              icon={<LessonsIcon size={28} />}
              action={<Button onClick={() => setMaking(true)}>Add your first project</Button>}
            >
              A project has a repository. Its lessons are stored with the code in <code>lessons/</code>.
            </Empty>
          ) : (
            <ul className="tiles tiles-large">
              {data.projects.map((project) => (
                <li key={project.project_id}>
                  <ProjectTile project={project} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {making && <NewProjectDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

function ProjectTile({ project }: { project: Project }) {
  const [tile, seen] = useSeen<HTMLDivElement>();
  return (
    <div ref={tile} className="agent-tile">
      <Link to={projectAddress(project.project_id)} className="tile">
        <strong className="tile-title">{project.name}</strong>
        <span className="mono muted small clip">
          {project.repository ? project.repository.url : 'No repository attached'}
        </span>
        <span className="tile-foot project-counts">{seen && <Counts projectId={project.project_id} />}</span>
      </Link>
    </div>
  );
}

function Counts({ projectId }: { projectId: string }) {
  const { data } = useResource(`lesson-counts:${projectId}`, (signal) => countLessons(projectId, signal), {
    freshMs: 15_000,
  });
  if (!data) return null;
  return (
    <>
      <span>{plural(data.lessons, 'lesson')}</span>
      {data.stale > 0 && <Badge tone="warn">{data.stale} stale</Badge>}
    </>
  );
}

function NewProjectDialog({ onClose }: { onClose(): void }) {
  const draft = useDraft('new-project', EMPTY_PROJECT);
  const action = useAction(async () => {
    const repository = repositoryOf(draft.value);
    const project = await createProject({ name: draft.value.name, ...(repository && { repository }) });
    draft.clear();
    refresh('projects');
    navigate(projectAddress(project.project_id));
  });
  return (
    <FormDialog
      title="New project"
      submit="Create project"
      guard="none"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <ProjectFields draft={draft.value} onChange={draft.set} />
    </FormDialog>
  );
}
