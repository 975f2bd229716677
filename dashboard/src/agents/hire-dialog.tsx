import { useAction } from '../api/action.js';
import { type Employee, hire } from '../api/agents.js';
import { refresh } from '../api/resource.js';
import { navigate } from '../shell/router.js';
import { FormDialog } from '../ui/dialog.js';
import { Badge, Facts, formatDay } from '../ui/display.js';
import { priceWords } from './hire-words.js';

const PERIOD_MS = 30 * 86_400_000;

export function HireDialog({ employee, onClose }: { employee: Employee; onClose(): void }) {
  const action = useAction(async () => {
    const hired = await hire(employee.profile_id);
    refresh('hires');
    refresh('employees');
    refresh('desks');
    onClose();
    navigate(hired.onboarding_url);
  });
  const end = formatDay(new Date(Date.now() + PERIOD_MS).toISOString());
  return (
    <FormDialog
      title={`Hire ${employee.name}?`}
      submit={`Hire ${firstName(employee)}`}
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <p>{employee.description}</p>
      <Facts
        items={[
          ['Price', <strong key="price">{priceWords(employee)}</strong>],
          ['Period', `30 days, until ${end}, then renewed until you cancel`],
          ['Comes with', <Included key="with" employee={employee} />],
        ]}
      />
      <p className="muted small">
        The hire starts immediately. You can cancel at any time, immediately or at the end of the period.
      </p>
    </FormDialog>
  );
}

export const firstName = ({ name }: Employee): string => name.split(' ')[0]!;

export function Included({ employee }: { employee: Employee }) {
  return (
    <ul className="included">
      <li>an agent with a memory of its own</li>
      {employee.builder && <li>a desk to build on, which counts towards your plan’s desks</li>}
      {employee.repository && (
        <li>
          work on <span className="mono">{shortUrl(employee.repository.url)}</span>
        </li>
      )}
      {employee.packages.length > 0 && (
        <li>
          {employee.packages.length} {employee.packages.length === 1 ? 'tool' : 'tools'}:{' '}
          <span className="tags">
            {employee.packages.map((name) => (
              <Badge key={name}>{name}</Badge>
            ))}
          </span>
        </li>
      )}
    </ul>
  );
}

const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\.git$/, '');
