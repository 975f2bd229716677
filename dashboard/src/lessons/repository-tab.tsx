import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import {
  changeProject,
  deleteProject,
  forgetHostKey,
  listHostKeys,
  type PinnedHost,
  type Project,
} from '../api/lessons.js';
import { readProjectBudget, saveProjectBudget } from '../api/money.js';
import { putResource, refresh, useResource } from '../api/resource.js';
import { ForgeSection } from '../forges/forge-section.js';
import { navigate } from '../shell/router.js';
import { useIsAdmin, useSession } from '../shell/session.js';
import { BudgetSection } from '../spend/budget-section.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Time } from '../ui/display.js';
import { useDraft } from '../ui/draft.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { Form, FormFault } from '../ui/refusal.js';
import { focusHeading } from '../ui/row-focus.js';
import { useToast } from '../ui/toast.js';
import { ChecksSection } from './checks-section.js';
import { CredentialsSection } from './credentials-section.js';
import { type ProjectDraft, ProjectFields, repositoryOf } from './project-fields.js';
import { SecretsSection } from './secrets-section.js';

export function RepositoryTab({ project }: { project: Project }) {
  const admin = useIsAdmin();
  return (
    <div className="stack repository">
      <ProjectSection project={project} />
      <ForgeSection project={project} />
      <ChecksSection projectId={project.project_id} />
      <SecretsSection projectId={project.project_id} />
      <BudgetSection
        whose="project"
        id={project.project_id}
        read={readProjectBudget}
        save={saveProjectBudget}
      />
      <CredentialsSection project={project} />
      {admin && <HostKeysSection />}
      {admin && <DeleteSection project={project} />}
    </div>
  );
}

const draftOf = ({ name, repository }: Project): ProjectDraft => ({
  name,
  url: repository?.url ?? '',
  branch: repository?.branch ?? '',
});

function ProjectSection({ project }: { project: Project }) {
  const toast = useToast();
  const draft = useDraft(`project:${project.project_id}`, draftOf(project));
  const [detaching, setDetaching] = useState(false);
  const save = useAction(async () => {
    const before = draftOf(project);
    const { name, url, branch } = draft.value;
    const moved = url.trim() !== before.url || branch.trim() !== before.branch;
    const changed = await changeProject({
      project_id: project.project_id,
      name: name.trim(),
      ...(moved && { repository: repositoryOf(draft.value) ?? null }),
    });
    draft.clear();
    putResource<Project>(`project:${project.project_id}`, () => changed);
    refresh('projects');
    refresh(`index:${project.project_id}`);
    refresh(`credentials:${project.project_id}`);
    focusHeading();
    toast({ text: moved ? 'Saved. Checking the repository' : 'Saved' });
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (project.repository && draft.value.url.trim() === '') setDetaching(true);
    else void save.run();
  }
  return (
    <Section title="Project">
      <Form fault={save.fault} busy={save.busy} className="stack narrow-form" onSubmit={submit}>
        <ProjectFields draft={draft.value} onChange={draft.set} />
        <FormFault />
        <div className="form-bar">
          <Button type="submit" tone="primary" busy={save.busy} disabled={!draft.dirty}>
            Save
          </Button>
          {draft.dirty && (
            <Button tone="quiet" onClick={draft.clear}>
              Discard
            </Button>
          )}
        </div>
      </Form>
      {detaching && (
        <Confirm
          title="Detach the repository?"
          submit="Detach"
          onClose={() => setDetaching(false)}
          perform={async () => {
            await save.run();
          }}
        >
          <p>
            Guildhall stops indexing its code and finds no lessons near it until you attach another
            repository.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

function HostKeysSection() {
  const { brand } = useSession();
  const toast = useToast();
  const keys = useResource(`host-keys:${brand.brand_id}`, (signal) => listHostKeys(brand.brand_id, signal));
  const [forgetting, setForgetting] = useState<PinnedHost>();
  return (
    <Section
      title="Known hosts"
      lead="Guildhall pins the key of an ssh host at the first connection and rejects any other key."
    >
      <Loaded of={keys} rows={1}>
        {(data) =>
          data.host_keys.length === 0 ? (
            <p className="muted">No ssh hosts yet.</p>
          ) : (
            <ul className="rows">
              {data.host_keys.map((key) => (
                <li key={key.host} className="row">
                  <span className="row-main">
                    <strong className="mono">{key.host}</strong>
                    <span className="mono muted small clip" title={key.host_key}>
                      {key.host_key}
                    </span>
                  </span>
                  <span className="muted small">
                    pinned <Time at={key.pinned_at} />
                  </span>
                  <Button small aria-label={`Forget ${key.host}`} onClick={() => setForgetting(key)}>
                    Forget
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {forgetting && (
        <Confirm
          title={`Forget the key of ${forgetting.host}?`}
          submit="Forget key"
          onClose={() => setForgetting(undefined)}
          perform={async () => {
            await forgetHostKey(brand.brand_id, forgetting.host);
            refresh('host-keys:');
            toast({ text: `The key of ${forgetting.host} is forgotten` });
          }}
        >
          <p>
            Guildhall pins the next key it sees. Do this only when you know that the host changed its key.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

function DeleteSection({ project }: { project: Project }) {
  const toast = useToast();
  const [deleting, setDeleting] = useState(false);
  return (
    <Section title="Delete">
      <div>
        <Button onClick={() => setDeleting(true)}>Delete this project</Button>
      </div>
      {deleting && (
        <Confirm
          title={`Delete ${project.name}?`}
          submit="Delete project"
          onClose={() => setDeleting(false)}
          perform={async () => {
            await deleteProject(project.project_id);
            refresh('projects');
            toast({ text: `${project.name} is deleted` });
            navigate('/dashboard/lessons', { replace: true });
          }}
        >
          <p>
            This deletes its index and its lessons in Guildhall. The repository and its lesson files stay. You
            cannot undo this.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
