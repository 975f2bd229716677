import { type ComponentProps, createContext, useContext, useLayoutEffect, useRef, useState } from 'react';
import type { GuildhallError } from '../api/client.js';
import { ErrorNote } from './feedback.js';

/** Begins with the field that it refuses: `name must not be blank`, `repository.branch must be …`, `checks.0.name …`, `scopes: …`. */
const NAMED = /^([a-z][a-z_]*)((?:\.[a-z_]+|\.\d+|\[\d*\])*):? (.+)$/s;

/** A field by its name, or by the last part of it. */
const isMeant = (field: string, named: string, rest: string): boolean =>
  field === named || field === `${named}${rest}` || rest.endsWith(`.${field}`);

/** What a refusal says of a field, in the words of its label; undefined where it is about something else. */
function wordsFor(fault: GuildhallError | undefined, field: string, label: string): string | undefined {
  if (!fault || ![400, 409, 422].includes(fault.status)) return undefined;
  const [, named, rest = '', words] = NAMED.exec(fault.message) ?? [];
  return named && isMeant(field, named, rest) ? `${label} ${words}` : undefined;
}

const RefusalContext = createContext<GuildhallError | undefined>(undefined);

/** `field`: what the service calls it; a field that the service does not know is never refused by it. */
export function useRefusal(field: string | undefined, label: string): string | undefined {
  const fault = useContext(RefusalContext);
  return field ? wordsFor(fault, field, label) : undefined;
}

interface FormProps extends ComponentProps<'form'> {
  /** Why the service refused what was last sent. */
  fault: GuildhallError | undefined;
  busy?: boolean;
}

/** Asks for something and sends it. A refusal stands beside its field, which gets the focus, or where `FormFault` is. */
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

/** What no field of the form has taken. */
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
