import { type AuditPage, listAudit, listWorkspaces } from '../api/operator.js';
import { usePages, useResource } from '../api/resource.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { plainWords, Time } from '../ui/display.js';
import { Empty } from '../ui/feedback.js';
import { SelectField, TextField } from '../ui/field.js';
import { Page } from '../ui/page.js';
import { Paged } from '../ui/paged.js';
import { useSettled } from '../ui/settled.js';
import { TableFrame } from '../ui/table-frame.js';

type Entry = AuditPage['items'][number];

export function Audit() {
  const { query } = usePlace();
  const brand = Number(query.get('workspace')) || undefined;
  const typed = query.get('action') ?? '';
  const action = useSettled(typed.trim());
  const brands = useResource('operator:workspaces:all', (signal) => listWorkspaces('', undefined, signal));
  const nameOf = (id: number) => brands.data?.brands.find(({ brand_id }) => brand_id === id)?.name;
  const pages = usePages(
    `operator:audit:${brand ?? ''}:${action}`,
    (cursor, signal) =>
      listAudit({ ...(brand && { brand_id: brand }), ...(action && { action }) }, cursor, signal),
    { keep: true },
  );
  return (
    <Page title="Audit" lead="Changes, newest first.">
      <div className="find-bar">
        <SelectField
          label="Workspace"
          value={brand ?? ''}
          onChange={(event) =>
            navigate(withParameters({ workspace: event.target.value || null }), { replace: true })
          }
        >
          <option value="">All</option>
          {brands.data?.brands.map(({ brand_id, name }) => (
            <option key={brand_id} value={brand_id}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Action"
          placeholder="member.removed"
          value={typed}
          onChange={(event) => navigate(withParameters({ action: event.target.value }), { replace: true })}
        />
      </div>
      <Paged
        of={pages}
        items={(page) => page.items}
        noun="entries"
        empty={<Empty title="No entries match" />}
      >
        {(items) => <AuditTable items={items} nameOf={nameOf} />}
      </Paged>
    </Page>
  );
}

interface TableProps {
  items: Entry[];
  nameOf(brandId: number): string | undefined;
}

function AuditTable({ items, nameOf }: TableProps) {
  return (
    <TableFrame label="Entries">
      <table className="stacking">
        <thead>
          <tr>
            <th>When</th>
            <th>Action</th>
            <th>On</th>
            <th>By</th>
            <th>Workspace</th>
            <th>Details</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <td data-label="When" className="nowrap">
                <Time at={item.at} />
              </td>
              <td data-label="Action" className="mono nowrap">
                {item.action}
              </td>
              <td data-label="On" className="mono">
                {item.subject}
              </td>
              <td data-label="By">{actorOf(item)}</td>
              <td data-label="Workspace">
                {item.brand_id === null ? '' : (nameOf(item.brand_id) ?? item.brand_id)}
              </td>
              <td data-label="Details" className="small">
                {Object.keys(item.details).length > 0 && (
                  <details>
                    <summary>{Object.keys(item.details).map(plainWords).join(', ')}</summary>
                    <pre className="audit-details">{JSON.stringify(item.details, null, 2)}</pre>
                  </details>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function actorOf({ actor, address }: Entry): string {
  const person = actor.user_id === null ? actor.kind : `person ${actor.user_id}`;
  const who = actor.agent_id === null ? person : `${actor.agent_id} for ${person}`;
  return address ? `${who}, ${address}` : who;
}
