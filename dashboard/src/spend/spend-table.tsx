import type { SpendBy, SpendReport, SpendRow } from '../api/money.js';
import { coderName } from '../builds/build-words.js';
import { Link } from '../shell/router.js';
import { TableFrame } from '../ui/table-frame.js';
import { longDayName } from './days.js';
import { BY_WORDS, formatCents } from './spend-words.js';

/** The service returns at most this many rows, highest cost first. */
const MOST_ROWS = 1000;

const count = (value: number): string => value.toLocaleString('en');

export function SpendTable({ report, by }: { report: SpendReport; by: SpendBy }) {
  const { rows, total } = report;
  const most = Math.max(...rows.map(({ cost_usd }) => cost_usd), 0);
  const { label, noun } = BY_WORDS[by];
  return (
    <>
      <TableFrame label={`Spend ${label.toLowerCase()}`}>
        <table className="spend-table">
          <thead>
            <tr>
              <th scope="col">{noun}</th>
              <th scope="col" className="right">
                Builds
              </th>
              <th scope="col" className="right">
                Tokens in
              </th>
              <th scope="col" className="right">
                Tokens out
              </th>
              <th scope="col" className="right">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <RowName row={row} by={by} />
                  <span className="spend-share" aria-hidden="true">
                    <span style={{ width: most > 0 ? `${(row.cost_usd / most) * 100}%` : 0 }} />
                  </span>
                </th>
                <Numbers of={row} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">In all</th>
              <Numbers of={total} />
            </tr>
          </tfoot>
        </table>
      </TableFrame>
      {rows.length >= MOST_ROWS && (
        <p className="muted small">
          These are the {count(MOST_ROWS)} that cost most. The total includes all others.
        </p>
      )}
    </>
  );
}

const Numbers = ({ of }: { of: SpendReport['total'] }) => (
  <>
    <td className="right number">
      {count(of.builds)}
      {of.without_usage && <span className="muted small block">{count(of.without_usage)} without usage</span>}
    </td>
    <td className="right number">{count(of.tokens_in)}</td>
    <td className="right number">{count(of.tokens_out)}</td>
    <td className="right number">{formatCents(of.cost_usd)}</td>
  </>
);

const UUID = /^[0-9a-f-]{36}$/;

/** Links to the details of a row, unless it no longer has a name. */
function RowName({ row: { key, name }, by }: { row: SpendRow; by: SpendBy }) {
  if (by === 'day') return longDayName(key);
  if (key === '') return <span className="muted">{name || `No ${by}`}</span>;
  if (by === 'coder') return <Link to={`/dashboard/builds?coder=${key}`}>{coderName(key)}</Link>;
  if (by === 'profile')
    return (
      <Link to="/dashboard/coder-profiles" className="mono">
        {name}
      </Link>
    );
  if (by === 'agent')
    return <Link to={`/dashboard/memory/${encodeURIComponent(key)}?tab=budget`}>{name}</Link>;
  if (UUID.test(name)) return <span className="muted">deleted {by}</span>;
  const to =
    by === 'project'
      ? `/dashboard/lessons/${key}?tab=repository`
      : `/dashboard/cards/${name.slice(0, name.indexOf(' '))}`;
  return <Link to={to}>{name}</Link>;
}
