import { TextField } from '../ui/field.js';

interface UsdProps {
  label: string;
  /** The field's name in the API. */
  field: string;
  hint?: string;
  value: string;
  disabled?: boolean;
  onChange(value: string): void;
}

/** An amount in US dollars; empty means no limit. */
export function UsdField({ label, field, hint, value, disabled, onChange }: UsdProps) {
  return (
    <TextField
      label={label}
      field={field}
      type="number"
      min={0}
      step="any"
      inputMode="decimal"
      placeholder="no limit"
      hint={hint}
      disabled={disabled}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
