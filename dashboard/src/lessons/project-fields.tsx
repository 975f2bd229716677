import { TextField } from '../ui/field.js';

export interface ProjectDraft {
  name: string;
  url: string;
  branch: string;
}

export const EMPTY_PROJECT: ProjectDraft = { name: '', url: '', branch: '' };

/** Undefined without a repository URL. */
export const repositoryOf = ({ url, branch }: ProjectDraft) =>
  url.trim() ? { url: url.trim(), ...(branch.trim() && { branch: branch.trim() }) } : undefined;

interface FieldsProps {
  draft: ProjectDraft;
  onChange(draft: ProjectDraft): void;
}

export function ProjectFields({ draft, onChange }: FieldsProps) {
  const set = (field: keyof ProjectDraft) => (event: { target: { value: string } }) =>
    onChange({ ...draft, [field]: event.target.value });
  return (
    <>
      <TextField label="Name" field="name" required value={draft.name} onChange={set('name')} />
      <TextField
        label="Repository"
        field="url"
        hint="An https or ssh address. Optional."
        value={draft.url}
        spellCheck={false}
        onChange={set('url')}
      />
      <TextField
        label="Branch"
        field="branch"
        hint="Left empty, the repository’s default."
        value={draft.branch}
        spellCheck={false}
        onChange={set('branch')}
      />
    </>
  );
}
