import { useAction } from '../api/action.js';
import { type Conversation, listConversations, retryConversation } from '../api/memory.js';
import { refresh, usePages } from '../api/resource.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Badge, plainWords, sentence, Time, type Tone } from '../ui/display.js';
import { Empty } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { Paged } from '../ui/paged.js';
import { focusHeading } from '../ui/row-focus.js';
import { TableFrame } from '../ui/table-frame.js';
import { useToast } from '../ui/toast.js';

type State = Conversation['status'];

const TONES: Record<State, Tone> = { waiting: 'info', processing: 'warn', done: 'good', failed: 'bad' };
const STATES = Object.keys(TONES) as State[];
const POLL_MS = 15_000;

export function ConversationsTab({ agentId }: { agentId: string }) {
  const asked = usePlace().query.get('state');
  const state = STATES.find((each) => each === asked) ?? '';
  const pages = usePages(
    `conversations:${agentId}:${state}`,
    (cursor, signal) => listConversations(agentId, state, cursor, signal),
    { pollMs: POLL_MS, keep: true },
  );
  return (
    <Section
      title="Conversations"
      lead="Picked up every 10 minutes; a failed one is tried five times."
      actions={
        <select
          className="input select"
          aria-label="State of the conversations"
          value={state}
          onChange={(event) => navigate(withParameters({ state: event.target.value }), { replace: true })}
        >
          <option value="">All states</option>
          {STATES.map((each) => (
            <option key={each} value={each}>
              {sentence(each)}
            </option>
          ))}
        </select>
      }
    >
      <Paged
        of={pages}
        rows={3}
        items={(page) => page.conversations}
        total={(first) => first.total}
        noun="conversations"
        empty={<NoConversations state={state} />}
      >
        {(conversations) => <ConversationTable conversations={conversations} narrowed={state !== ''} />}
      </Paged>
    </Section>
  );
}

function NoConversations({ state }: { state: State | '' }) {
  return state ? (
    <Empty title={`No conversation is ${state}`}>Choose all states to see others.</Empty>
  ) : (
    <Empty title="No conversations yet">Add a source, or push one with the API or the command line.</Empty>
  );
}

interface TableProps {
  conversations: Conversation[];
  /** Whether the list is filtered by state. */
  narrowed: boolean;
}

function ConversationTable({ conversations, narrowed }: TableProps) {
  return (
    <TableFrame label="Conversations and their states">
      <table className="conversations stacking">
        <thead>
          <tr>
            <th>Conversation</th>
            <th>Source</th>
            <th>State</th>
            <th className="right">Attempts</th>
            <th>Next try</th>
            <th>
              <span className="off-screen">Try again</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {conversations.map((each) => (
            <ConversationRow key={each.id} conversation={each} narrowed={narrowed} />
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function ConversationRow({ conversation, narrowed }: { conversation: Conversation; narrowed: boolean }) {
  const toast = useToast();
  const retry = useAction(async () => {
    await retryConversation(conversation.id);
    refresh('conversations:');
    refresh('memory-health:');
    // The row leaves the filtered list, so move the focus.
    if (narrowed) focusHeading();
    toast({ text: 'Due now' });
  });
  const again = conversation.status === 'failed' || conversation.status === 'waiting';
  return (
    <tr>
      <td className="mono clip" title={conversation.external_id}>
        {conversation.external_id}
      </td>
      <td data-label="Source">{sentence(plainWords(conversation.source_type))}</td>
      <td data-label="State">
        <Badge tone={TONES[conversation.status]}>{conversation.status}</Badge>
        {conversation.error && <div className="bad small conversation-error">{conversation.error}</div>}
        {retry.fault && (
          <div className="bad small" role="alert">
            {retry.fault.message}
          </div>
        )}
      </td>
      <td data-label="Attempts" className="right number">
        {conversation.attempts}
      </td>
      <td data-label="Next try">
        {conversation.next_attempt_at ? (
          <Time at={conversation.next_attempt_at} />
        ) : (
          <span className="muted">none</span>
        )}
      </td>
      <td className="right">
        {again && (
          <Button
            small
            aria-disabled={retry.busy || undefined}
            aria-label={`Try now: ${conversation.external_id}`}
            onClick={() => void retry.run()}
          >
            Try now
          </Button>
        )}
      </td>
    </tr>
  );
}
