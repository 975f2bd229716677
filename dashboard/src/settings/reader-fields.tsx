import { listProfiles } from '../api/coder-profiles.js';
import { useResource } from '../api/resource.js';
import { Checkbox, SelectField } from '../ui/field.js';
import type { PolicyDraft } from './policy-draft.js';

type Reader = PolicyDraft['reader'];

const ON_WORDS: Record<Reader['on'], string> = {
  none: 'Nothing',
  risky: 'Changes with a risk of 50 or more',
  all: 'Every change',
};

export function ReaderFields({ reader, onChange }: { reader: Reader; onChange(reader: Reader): void }) {
  const profiles = useResource('coder-profiles', listProfiles, { freshMs: 60_000 });
  const keys = profiles.data?.map(({ key }) => key) ?? [];
  // Keep a selected profile that no longer exists, or the field would show another one.
  const shown = reader.profile && !keys.includes(reader.profile) ? [reader.profile, ...keys] : keys;
  return (
    <>
      <div className="pair">
        <SelectField
          label="Reviewer reads"
          field="reviewer.on"
          value={reader.on}
          onChange={(event) => onChange({ ...reader, on: event.target.value as Reader['on'] })}
        >
          {Object.entries(ON_WORDS).map(([on, words]) => (
            <option key={on} value={on}>
              {words}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Its profile"
          field="reviewer.profile"
          required={reader.on !== 'none'}
          hint="The reviewer only comments. A person decides."
          value={reader.profile}
          onChange={(event) => onChange({ ...reader, profile: event.target.value })}
        >
          <option value="">None</option>
          {shown.map((key) => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
        </SelectField>
      </div>
      <Checkbox
        label="Allow the coder family that wrote the change"
        checked={reader.sameFamily}
        onChange={(sameFamily) => onChange({ ...reader, sameFamily })}
      />
    </>
  );
}
