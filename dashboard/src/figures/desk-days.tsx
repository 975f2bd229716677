import { useState } from 'react';
import type { DeskFigures } from '../api/figures.js';
import { Link } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { formatDuration } from '../ui/display.js';
import { TableFrame } from '../ui/table-frame.js';
import { weekName } from './series.js';

const DAY_MINUTES = 1440;

const percentOf = (share: number): string => `${Math.round(share * 100)}%`;

export function DeskDays({ desks }: { desks: DeskFigures[] }) {
  const [asTable, setAsTable] = useState(false);
  if (desks.length === 0) {
    return (
      <section className="chart chart-empty" aria-label="Desks">
        <h2>Desks</h2>
        <p className="muted">
          No desks yet. <Link to="/dashboard/machines">Order one</Link> to see its ready time here.
        </p>
      </section>
    );
  }
  const average = desks.reduce((sum, { ready_share }) => sum + ready_share, 0) / desks.length;
  return (
    <section className="chart" aria-label="Desks">
      <div className="chart-head">
        <div>
          <h2>Desks</h2>
          <p className="muted small">
            Ready {percentOf(average)} of the last 14 days on average, a bar for each day.
          </p>
        </div>
        <Button small tone="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Show as picture' : 'Show as table'}
          <span className="off-screen"> of Desks</span>
        </Button>
      </div>
      {asTable ? <DaysTable desks={desks} /> : <DayBars desks={desks} />}
    </section>
  );
}

function DayBars({ desks }: { desks: DeskFigures[] }) {
  return (
    <ul className="day-rows">
      {desks.map((desk) => (
        <li key={desk.workstation_id} className="day-row">
          <Link to={`/dashboard/machines/${desk.workstation_id}?span=14d`} className="day-row-name">
            {desk.name}
          </Link>
          <span className="day-bars" aria-hidden="true">
            {desk.days.map(({ day, ready_minutes }) => (
              <span
                key={day}
                className="day-bar"
                title={`${weekName(day)}: ready ${formatDuration(ready_minutes * 60)}`}
              >
                <span
                  className="day-bar-fill"
                  style={{ height: `${Math.min(100, (ready_minutes / DAY_MINUTES) * 100)}%` }}
                />
              </span>
            ))}
          </span>
          <span className="right number">
            <span className="off-screen">ready </span>
            {percentOf(desk.ready_share)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function DaysTable({ desks }: { desks: DeskFigures[] }) {
  const days = desks[0]!.days.map(({ day }) => day);
  return (
    <TableFrame className="chart-table" label="Ready hours by day">
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {desks.map(({ workstation_id, name }) => (
              <th key={workstation_id} scope="col" className="right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day, at) => (
            <tr key={day}>
              <th scope="row">{weekName(day)}</th>
              {desks.map((desk) => (
                <td key={desk.workstation_id} className="right number">
                  {formatDuration((desk.days[at]?.ready_minutes ?? 0) * 60)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
