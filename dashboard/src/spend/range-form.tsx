import type { GuildhallError } from '../api/client.js';
import { navigate, withParameters } from '../shell/router.js';
import { TextField } from '../ui/field.js';
import { Form, FormFault } from '../ui/refusal.js';
import type { Day } from './days.js';
import { type Range, usualRanges } from './ranges.js';

export type { Range } from './ranges.js';

interface FormProps {
  range: Range;
  today: Day;
  fault: GuildhallError | undefined;
}

export function RangeForm({ range, today, fault }: FormProps) {
  const show = (changes: Partial<Range>) =>
    navigate(withParameters({ ...range, ...changes }), { replace: true });
  return (
    <Form className="spend-range" fault={fault?.status === 422 ? fault : undefined}>
      {(['from', 'to'] as const).map((end) => (
        <TextField
          key={end}
          label={end === 'from' ? 'From' : 'To'}
          field={end}
          type="date"
          value={range[end]}
          onChange={(event) => event.target.value && show({ [end]: event.target.value })}
        />
      ))}
      <fieldset className="chips">
        <legend className="off-screen">Usual days</legend>
        {usualRanges(today).map(({ label, range: usual }) => (
          <button
            key={label}
            type="button"
            className="chip"
            aria-pressed={usual.from === range.from && usual.to === range.to}
            onClick={() => show(usual)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <FormFault />
    </Form>
  );
}
