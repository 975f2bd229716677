import { useAction } from '../api/action.js';
import { type Environment, liftHold, retryLogins } from '../api/machines.js';
import { refresh } from '../api/resource.js';
import { coderName } from '../builds/build-words.js';
import { useIsAdmin } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Badge, formatInstant } from '../ui/display.js';
import { ErrorNote, Note } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { focusHeading } from '../ui/row-focus.js';
import { useToast } from '../ui/toast.js';
import { refusedCoders, runtimeWords, splitCoders } from './desk-words.js';

export function DeskCoders({ environment }: { environment: Environment }) {
  const { own, others } = splitCoders(environment);
  return (
    <Section title="Coders">
      <ul className="desk-coders">
        {own.map(({ coder, ready, reason }) => (
          <li key={coder}>
            <Badge tone={ready ? 'good' : 'warn'}>{coderName(coder)}</Badge>
            <span className={ready ? 'muted small' : 'small'}>{ready ? 'can be run' : reason}</span>
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <p className="muted small">
          The runtime {runtimeWords(environment.runtime)} runs no{' '}
          {others.map(({ coder }) => coderName(coder)).join(', ')}.
        </p>
      )}
    </Section>
  );
}

const refreshDesk = (id: string): void => {
  for (const key of [`desk:${id}`, `environment:${id}`, `timeline:${id}`, 'desks', 'builds']) refresh(key);
};

/** A coder's login was rejected; it is retried when the health check succeeds or on request. */
export function LoginNote({ environment }: { environment: Environment }) {
  const toast = useToast();
  const { workstation_id: id, name } = environment;
  const retry = useAction(async () => {
    await retryLogins(id);
    refreshDesk(id);
    focusHeading();
    toast({ text: `${name} gets builds again` });
  });
  const refused = refusedCoders(environment);
  if (refused.length === 0) return null;
  return (
    <Note tone="warn">
      <div className="desk-hold">
        <span>
          The login of {refused.map(coderName).join(', ')} was rejected, so the desk gets no builds for it.
          Sign in on the machine.
        </span>
        <Button small busy={retry.busy} onClick={() => void retry.run()}>
          Retry
        </Button>
      </div>
      {retry.fault && <ErrorNote fault={retry.fault} />}
    </Note>
  );
}

/** The desk waits for a provider limit to reset; admins can end the wait early. */
export function HoldNote({ environment }: { environment: Environment }) {
  const isAdmin = useIsAdmin();
  const toast = useToast();
  const { workstation_id: id, name, held_until: until } = environment;
  const lift = useAction(async () => {
    await liftHold(id);
    refreshDesk(id);
    focusHeading();
    toast({ text: `${name} gets builds again` });
  });
  if (!until) return null;
  return (
    <Note tone="warn">
      <div className="desk-hold">
        <span>
          On hold until {formatInstant(until)}: its provider’s limit was reached, so it gets no builds.
        </span>
        {isAdmin && (
          <Button small busy={lift.busy} onClick={() => void lift.run()}>
            Lift hold
          </Button>
        )}
      </div>
      {lift.fault && <ErrorNote fault={lift.fault} />}
    </Note>
  );
}
