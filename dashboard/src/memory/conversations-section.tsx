import { useState } from 'react';
import { type Conversation, listConversations } from '../api/memory.js';
import { useResource } from '../api/resource.js';
import { Badge, plainWords, sentence, Time, type Tone } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';

const TONES: Record<Conversation['status'], Tone> = {
  waiting: 'info',
  processing: 'warn',
  done: 'good',
  failed: 'bad',
};

/** Conversations the agent learned from, or will. */
export function ConversationsSection({ agentId }: { agentId: string }) {
  const [status, setStatus] = useState<Conversation['status'] | ''>('');
  const conversations = useResource(`conversations:${agentId}:${status}`, (signal) =>
    listConversations(agentId, status, signal),
  );
  return (
    <Section
      title="Conversations"
      lead="Picked up every 10 minutes; a failed one is tried five times."
      actions={
        <select
          className="input select"
          aria-label="State of the conversations"
          value={status}
          onChange={(event) => setStatus(event.target.value as Conversation['status'] | '')}
        >
          <option value="">All states</option>
          {Object.keys(TONES).map((each) => (
            <option key={each} value={each}>
              {sentence(each)}
            </option>
          ))}
        </select>
      }
    >
      <Loaded of={conversations} rows={2}>
        {(data) =>
          data.conversations.length === 0 ? (
            <p className="muted">No conversations{status && ` that are ${status}`}.</p>
          ) : (
            <div className="table-frame">
              <table>
                <thead>
                  <tr>
                    <th>Conversation</th>
                    <th>Source</th>
                    <th>State</th>
                    <th>Attempts</th>
                    <th>Next try</th>
                  </tr>
                </thead>
                <tbody>
                  {data.conversations.map((each) => (
                    <tr key={each.id}>
                      <td className="mono clip" title={each.external_id}>
                        {each.external_id}
                      </td>
                      <td>{plainWords(each.source_type)}</td>
                      <td>
                        <Badge tone={TONES[each.status]}>{each.status}</Badge>
                        {each.error && <div className="bad small">{each.error}</div>}
                      </td>
                      <td>{each.attempts}</td>
                      <td>
                        {each.next_attempt_at ? (
                          <Time at={each.next_attempt_at} />
                        ) : (
                          <span className="muted">none</span>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}
