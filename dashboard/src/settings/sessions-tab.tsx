import { useAction } from '../api/action.js';
import { endOtherSessions, endSession, listSessions } from '../api/identity.js';
import { refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Badge, Time } from '../ui/display.js';
import { ErrorNote, Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { useToast } from '../ui/toast.js';
import { describeBrowser } from './browser-names.js';

export function SessionsTab() {
  const sessions = useResource('my-sessions', listSessions);
  const toast = useToast();
  const end = useAction(async (perform: () => Promise<unknown>, said: string) => {
    await perform();
    refresh('my-sessions');
    toast({ text: said });
  });
  return (
    <Section
      title="Where you are signed in"
      lead="A session ends 30 days after its last use at the latest."
      actions={
        <Button
          small
          busy={end.busy}
          disabled={(sessions.data?.total ?? 0) < 2}
          onClick={() => void end.run(endOtherSessions, 'All other sessions are ended')}
        >
          End all others
        </Button>
      }
    >
      {end.fault && <ErrorNote fault={end.fault} />}
      <Loaded of={sessions}>
        {(data) => (
          <ul className="rows">
            {data.sessions.map((session) => (
              <li key={session.session_id} className="row">
                <span className="row-main">
                  <span className="row-title">
                    <strong>{describeBrowser(session.agent)}</strong>
                    {session.current && <Badge tone="good">this one</Badge>}
                  </span>
                  <span className="muted small">
                    from <span className="mono">{session.address ?? 'an unknown address'}</span>, used{' '}
                    <Time at={session.last_seen_at} />, signed in <Time at={session.created_at} />
                  </span>
                </span>
                {!session.current && (
                  <Button
                    small
                    tone="quiet"
                    busy={end.busy}
                    onClick={() => void end.run(() => endSession(session.session_id), 'The session is ended')}
                  >
                    End
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
