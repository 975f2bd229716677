import { IMPORTANCES, KINDS, type MemoryInput } from '../api/memory.js';
import { sentence } from '../ui/display.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';

export interface MemoryDraft {
  kind: string;
  title: string;
  body: string;
  description: string;
  tags: string;
  confidence: string;
  importance: string;
}

export const EMPTY_DRAFT: MemoryDraft = {
  kind: 'fact',
  title: '',
  body: '',
  description: '',
  tags: '',
  confidence: '0.8',
  importance: 'normal',
};

export const inputOf = (
  draft: MemoryDraft,
): Required<Omit<MemoryInput, 'agent_id' | 'similar' | 'supersedes'>> => ({
  kind: draft.kind as MemoryInput['kind'],
  title: draft.title,
  body: draft.body,
  description: draft.description || null,
  tags: draft.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean),
  confidence: Number(draft.confidence),
  importance: draft.importance as (typeof IMPORTANCES)[number],
});

interface FieldsProps {
  draft: MemoryDraft;
  onChange(draft: MemoryDraft): void;
}

export function MemoryFields({ draft, onChange }: FieldsProps) {
  const set = (field: keyof MemoryDraft) => (event: { target: { value: string } }) =>
    onChange({ ...draft, [field]: event.target.value });
  const kinds: string[] = KINDS.some((kind) => kind === draft.kind) ? [...KINDS] : [...KINDS, draft.kind];
  return (
    <>
      <TextField
        label="Title"
        field="title"
        required
        maxLength={500}
        value={draft.title}
        onChange={set('title')}
      />
      <TextArea label="Body" field="body" required rows={5} value={draft.body} onChange={set('body')} />
      <TextField
        label="Description"
        field="description"
        hint="One line, up to 200 characters."
        maxLength={200}
        value={draft.description}
        onChange={set('description')}
      />
      <div className="triple">
        <SelectField label="Kind" field="kind" value={draft.kind} onChange={set('kind')}>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {sentence(kind)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Importance"
          field="importance"
          value={draft.importance}
          onChange={set('importance')}
        >
          {IMPORTANCES.map((importance) => (
            <option key={importance} value={importance}>
              {sentence(importance)}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Confidence"
          field="confidence"
          type="number"
          min={0}
          max={1}
          step="any"
          required
          value={draft.confidence}
          onChange={set('confidence')}
        />
      </div>
      <TextField
        label="Tags"
        field="tags"
        hint="Separated by commas. Three learnings that share a tag become a pattern."
        value={draft.tags}
        onChange={set('tags')}
      />
    </>
  );
}
