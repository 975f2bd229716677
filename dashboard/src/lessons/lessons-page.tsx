import { useState } from 'react';
import { useAction } from '../api/action.js';
import { createProject, listProjects, type Project } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { Link, navigate } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { TextField } from '../ui/field.js';
import { LessonsIcon, PlusIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';

export function LessonsPage() {
  const projects = useResource('projects', listProjects);
  const [making, setMaking] = useState(false);
  return (
    <Page
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
            <Empty title="No projects yet" icon={<LessonsIcon size={28} />}>
              A project has a repository. Its lessons live beside the code, in <code>lessons/</code>.
            </Empty>
          ) : (
            <ul className="tiles">
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
  return (
    <Link to={`/dashboard/lessons/${project.project_id}`} className="tile">
      <strong className="tile-title">{project.name}</strong>
      <span className="mono muted small clip">
        {project.repository ? project.repository.url : 'No repository attached'}
      </span>
    </Link>
  );
}

function NewProjectDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [branch, setBranch] = useState('');
  const action = useAction(async () => {
    const repository = url.trim()
      ? { url: url.trim(), ...(branch.trim() && { branch: branch.trim() }) }
      : undefined;
    const project = await createProject({ name, ...(repository && { repository }) });
    navigate(`/dashboard/lessons/${project.project_id}`);
  });
  return (
    <FormDialog
      title="New project"
      submit="Make project"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField label="Name" required value={name} onChange={(event) => setName(event.target.value)} />
      <TextField
        label="Repository"
        hint="An https or ssh address; may be left out."
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label="Branch"
        hint="Left empty, the repository's default."
        value={branch}
        onChange={(event) => setBranch(event.target.value)}
      />
    </FormDialog>
  );
}
