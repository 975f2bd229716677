import { type ImportRow, listRows, type RowStatus } from '../../api/imports.js';
import { usePages } from '../../api/resource.js';
import { usePlace, withParameters } from '../../shell/router.js';
import { Badge, type Tone } from '../../ui/display.js';
import { Empty } from '../../ui/feedback.js';
import { Tabs } from '../../ui/page.js';
import { Paged } from '../../ui/paged.js';
import { TableFrame } from '../../ui/table-frame.js';

const POLL_MS = 2000;

const WORDS: Record<RowStatus, { label: string; one: string; tone: Tone }> = {
  new: { label: 'To create', one: 'a card', tone: 'info' },
  made: { label: 'Created', one: 'created', tone: 'good' },
  known: { label: 'Already imported', one: 'already imported', tone: 'plain' },
  unreadable: { label: 'Cannot be read', one: 'cannot be read', tone: 'bad' },
};
const STATUSES = Object.keys(WORDS) as RowStatus[];

export function ImportRows({ importId, live }: { importId: string; live: boolean }) {
  const { query } = usePlace();
  const status = STATUSES.find((each) => each === query.get('rows'));
  const pages = usePages(
    `import-rows:${importId}:${status ?? ''}:${live}`,
    (cursor, signal) => listRows(importId, status, cursor, signal),
    { pollMs: live ? POLL_MS : null, keep: true },
  );
  return (
    <>
      <Tabs
        label="Rows"
        tabs={[undefined, ...STATUSES].map((each) => ({
          to: withParameters({ rows: each ?? null }),
          label: each ? WORDS[each].label : 'All',
          current: each === status,
        }))}
      />
      <Paged of={pages} items={({ rows }) => rows} noun="rows" empty={<Empty title="No rows" />}>
        {(rows) => <RowTable rows={rows} />}
      </Paged>
    </>
  );
}

function RowTable({ rows }: { rows: ImportRow[] }) {
  return (
    <TableFrame label="Rows of the file">
      <table className="import-table">
        <thead>
          <tr>
            <th scope="col" className="right">
              Row
            </th>
            <th scope="col">Becomes</th>
            <th scope="col">Title</th>
            <th scope="col">State</th>
            <th scope="col">Assignee</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.row}>
              <td className="right number">{row.row}</td>
              <td>
                <Badge tone={WORDS[row.status].tone}>{WORDS[row.status].one}</Badge>
              </td>
              <td>{row.title ?? <span className="muted">none</span>}</td>
              <td>{row.state}</td>
              <td>{row.assignee}</td>
              <td>{row.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
