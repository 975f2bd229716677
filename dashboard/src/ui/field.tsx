import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { useRefusal } from './refusal.js';

interface FieldFrame {
  label: string;
  hint?: ReactNode;
  error?: string;
  /** The field's name in the API, used to match validation errors. */
  field?: string;
}

interface FrameProps extends Omit<FieldFrame, 'field'> {
  id: string;
  children: ReactNode;
}

function Frame({ id, label, hint, error, children }: FrameProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {error && (
        <div className="field-error" role="alert" id={`${id}-error`}>
          {error}
        </div>
      )}
    </div>
  );
}

const sayOf = (id: string, { hint, error }: Pick<FieldFrame, 'hint' | 'error'>) => ({
  'aria-describedby':
    [hint !== undefined && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? true : undefined,
});

export function TextField({
  label,
  hint,
  error: fault,
  field,
  ...rest
}: FieldFrame & Omit<InputHTMLAttributes<HTMLInputElement>, 'id'>) {
  const id = useId();
  const error = useRefusal(field, label) ?? fault;
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input {...rest} id={id} className="input" {...sayOf(id, { hint, error })} />
    </Frame>
  );
}

interface PasswordProps {
  label?: string;
  field?: string;
  hint?: ReactNode;
  /** For a new password: browsers suggest one, and a minimum length applies. */
  fresh?: boolean;
  value: string;
  onChange(value: string): void;
}

const SHORTEST_PASSWORD = 8;
const LONGEST_PASSWORD = 128;

export function PasswordField({
  label = 'Password',
  field = 'password',
  hint,
  fresh = false,
  value,
  onChange,
}: PasswordProps) {
  return (
    <TextField
      label={label}
      field={field}
      type="password"
      required
      autoComplete={fresh ? 'new-password' : 'current-password'}
      minLength={fresh ? SHORTEST_PASSWORD : undefined}
      maxLength={fresh ? LONGEST_PASSWORD : undefined}
      hint={hint ?? (fresh ? `${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters.` : undefined)}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

export function TextArea({
  label,
  hint,
  error: fault,
  field,
  ...rest
}: FieldFrame & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'>) {
  const id = useId();
  const error = useRefusal(field, label) ?? fault;
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea {...rest} id={id} className="input" {...sayOf(id, { hint, error })} />
    </Frame>
  );
}

export function SelectField({
  label,
  hint,
  error: fault,
  field,
  children,
  ...rest
}: FieldFrame & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'>) {
  const id = useId();
  const error = useRefusal(field, label) ?? fault;
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <select {...rest} id={id} className="input select" {...sayOf(id, { hint, error })}>
        {children}
      </select>
    </Frame>
  );
}

interface ToggleProps {
  label: ReactNode;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
}

export function Checkbox({ label, checked, onChange, disabled }: ToggleProps) {
  return (
    <label className="checkbox">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

interface SwitchProps extends ToggleProps {
  label: string;
  busy?: boolean;
}

export function Toggle({ label, checked, onChange, disabled, busy = false }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      className="toggle"
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      // Not `disabled` while busy, so that the switch keeps the focus.
      aria-disabled={busy || undefined}
      onClick={() => !busy && onChange(!checked)}
    >
      <span className="toggle-knob" />
    </button>
  );
}
