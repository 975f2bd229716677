import { type ReactNode, useId, useState } from 'react';
import { Markdown } from '../ui/markdown.js';
import { useRefusal } from '../ui/refusal.js';
import { MentionArea } from './mention-area.js';

interface MarkdownFieldProps {
  label: string;
  rows: number;
  value: string;
  onChange(text: string): void;
  names?: readonly string[];
  hint?: ReactNode;
  /** The field's name in the API. */
  field?: string;
}

export function MarkdownField({ label, rows, value, onChange, names = [], hint, field }: MarkdownFieldProps) {
  const refusal = useRefusal(field, label);
  const [reading, setReading] = useState(false);
  const id = useId();
  return (
    <div className="field markdown-field">
      <div className="markdown-field-head">
        <label htmlFor={id}>{label}</label>
        {value.trim() !== '' && (
          <button
            type="button"
            className="text-button small"
            aria-pressed={reading}
            onClick={() => setReading(!reading)}
          >
            {reading ? 'Write' : 'Preview'}
          </button>
        )}
      </div>
      {reading ? (
        <div className="markdown-preview" id={id}>
          <Markdown text={value} />
        </div>
      ) : (
        <MentionArea
          id={id}
          rows={rows}
          value={value}
          onChange={onChange}
          names={names}
          refused={refusal !== undefined}
        />
      )}
      {refusal && (
        <div className="field-error" role="alert" id={`${id}-error`}>
          {refusal}
        </div>
      )}
      {hint && <div className="field-hint">{hint}</div>}
    </div>
  );
}
