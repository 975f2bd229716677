import { type ComponentProps, createContext, useContext, useLayoutEffect, useRef, useState } from 'react';
import type { GuildhallError } from '../api/client.js';
import { ErrorNote } from './feedback.js';

/**
 * Matches validation errors that start with a field name: `name must not be blank`, `repository.branch must
 * be …`, `checks.0.name …`, `scopes: …`.
 */
const NAMED = /^([a-z][a-z_]*)((?:\.[a-z_]+|\.\d+|\[\d*\])*):? (.+)$/s;

/** Compares with the full path of the field or its last part. */
const isMeant = (field: string, named: string, rest: string): boolean =>
  field === named || field === `${named}${rest}` || rest.endsWith(`.${field}`);

/** The validation error of a field, with its label as the subject; undefined for other errors. */
function wordsFor(fault: GuildhallError | undefined, field: string, label: string): string | undefined {
  if (!fault || ![400, 409, 422].includes(fault.status)) return undefined;
  const [, named, rest = '', words] = NAMED.exec(fault.message) ?? [];
  return named && isMeant(field, named, rest) ? `${label} ${words}` : undefined;
}

const RefusalContext = createContext<GuildhallError | undefined>(undefined);

/** `field` is the name in the API; fields without one never show a server error. */
export function useRefusal(field: string | undefined, label: string): string | undefined {
  const fault = useContext(RefusalContext);
  return field ? wordsFor(fault, field, label) : undefined;
}

interface FormProps extends ComponentProps<'form'> {
  fault: GuildhallError | undefined;
  busy?: boolean;
}

/** A form that shows server errors next to their field, which gets the focus, or in `FormFault`. */
export function Form({ fault, busy = false, onSubmit, ...rest }: FormProps) {
  return (
    <RefusalContext value={fault}>
      <form
        {...rest}
        data-unsent={busy || fault ? true : undefined}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.(event);
        }}
      />
    </RefusalContext>
  );
}

/** Shows errors that belong to no field of the form. */
export function FormFault() {
  const fault = useContext(RefusalContext);
  const place = useRef<HTMLDivElement>(null);
  const [told, setTold] = useState<GuildhallError>();
  useLayoutEffect(() => {
    const field =
      fault && place.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!field) return;
    field.focus();
    setTold(fault);
  }, [fault]);
  return (
    <div className="form-fault" ref={place}>
      {fault && fault !== told && <ErrorNote fault={fault} />}
    </div>
  );
}
