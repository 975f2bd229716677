import { useState } from 'react';
import { endOtherSessions, endSession, listSessions } from '../api/identity.js';
import { refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Badge, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { useToast } from '../ui/toast.js';
import { describeBrowser } from './browser-names.js';

interface Ending {
  title: string;
  perform(): Promise<unknown>;
  said: string;
}

export function SessionsTab() {
  const sessions = useResource('my-sessions', listSessions);
  const toast = useToast();
  const [ending, setEnding] = useState<Ending>();
  return (
    <Section
      title="Where you are signed in"
      lead="A session ends 30 days after its last use at the latest."
      actions={
        <Button
          small
          disabled={(sessions.data?.total ?? 0) < 2}
          onClick={() =>
            setEnding({
              title: 'End all other sessions?',
              perform: endOtherSessions,
              said: 'All other sessions are ended',
            })
          }
        >
          End other sessions
        </Button>
      }
    >
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
                    onClick={() =>
                      setEnding({
                        title: `End the session in ${describeBrowser(session.agent)}?`,
                        perform: () => endSession(session.session_id),
                        said: 'The session is ended',
                      })
                    }
                  >
                    End<span className="off-screen"> the session in {describeBrowser(session.agent)}</span>
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {ending && (
        <Confirm
          title={ending.title}
          submit="End"
          onClose={() => setEnding(undefined)}
          perform={async () => {
            await ending.perform();
            refresh('my-sessions');
            toast({ text: ending.said });
          }}
        >
          <p>The page there asks for a new sign-in and keeps unsaved text.</p>
        </Confirm>
      )}
    </Section>
  );
}
