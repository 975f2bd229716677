import { usePages, useResource } from '../api/resource.js';
import { listAudit, listMembers, type WorkspaceAuditEntry } from '../api/workspace.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { ActorName } from '../ui/actor.js';
import { formatInstant } from '../ui/display.js';
import { Empty } from '../ui/feedback.js';
import { SelectField } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { Paged } from '../ui/paged.js';
import { TableFrame } from '../ui/table-frame.js';

/** Actions offered as filters; the list itself contains all actions. */
const ACTIONS = [
  'session.opened',
  'session.closed',
  'sign_in.failed',
  'password.changed',
  'token.created',
  'token.revoked',
  'member.joined',
  'member.changed',
  'member.removed',
  'guest.removed',
  'feature.changed',
  'brand.changed',
  'board.deleted',
  'build.requested',
  'build.accepted',
  'build.pushed',
  'workstation.ordered',
  'workstation.released',
  'project.created',
  'project.deleted',
  'memory.deleted',
];

export function AuditTab() {
  const { brand } = useSession();
  const { query } = usePlace();
  const actor = query.get('actor') ?? '';
  const action = query.get('action') ?? '';
  const members = useResource(`members:${brand.brand_id}`, (signal) => listMembers(brand.brand_id, signal));
  const entries = usePages(
    `audit:${brand.brand_id}:${actor}:${action}`,
    (cursor, signal) =>
      listAudit(
        {
          brand_id: brand.brand_id,
          cursor,
          ...(actor && { actor: Number(actor) }),
          ...(action && { action }),
        },
        signal,
      ),
    { keep: true },
  );
  const set = (name: string) => (event: { target: { value: string } }) =>
    navigate(withParameters({ [name]: event.target.value || null }), { replace: true });

  return (
    <Section title="Audit log" lead="Actions with person, address and credential, newest first.">
      <div className="pair">
        <SelectField label="Who" value={actor} onChange={set('actor')}>
          <option value="">Everyone</option>
          {members.data?.members.map((member) => (
            <option key={member.user_id} value={member.user_id}>
              {member.full_name}
            </option>
          ))}
        </SelectField>
        <SelectField label="What" value={action} onChange={set('action')}>
          <option value="">Everything</option>
          {[...new Set([...ACTIONS, ...(action ? [action] : [])])].map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </SelectField>
      </div>
      <Paged
        of={entries}
        items={(page) => page.entries}
        noun="entries"
        empty={<Empty title="No entries match">Choose another person or action.</Empty>}
      >
        {(all) => <EntryTable entries={all} />}
      </Paged>
    </Section>
  );
}

/** Shortens ids such as `board:01a1…`; the tooltip shows the whole id. */
function Named({ text }: { text: string }) {
  const [kind = '', id = ''] = text.split(':', 2);
  return (
    <span className="mono muted nowrap" title={text}>
      {id.length > SHORT ? `${kind}:…${id.slice(-SHORT)}` : text}
    </span>
  );
}

const SHORT = 8;

function EntryTable({ entries }: { entries: WorkspaceAuditEntry[] }) {
  return (
    <TableFrame label="Entries">
      <table className="table stacking">
        <thead>
          <tr>
            <th>When</th>
            <th>Who</th>
            <th>What</th>
            <th>On</th>
            <th>From</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td data-label="When" className="nowrap">
                {formatInstant(entry.at)}
              </td>
              <td data-label="Who">
                <span className="table-name">
                  {entry.actor ? (
                    <ActorName actor={entry.actor} />
                  ) : (
                    <span className="muted">the service</span>
                  )}
                </span>
              </td>
              <td data-label="What" className="mono">
                {entry.action}
              </td>
              <td data-label="On">
                <Named text={entry.subject} />
              </td>
              <td data-label="From">
                {entry.address && <span className="mono block">{entry.address}</span>}
                {entry.credential && <Named text={entry.credential} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
