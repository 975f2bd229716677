import type { DeskFigures } from '../api/figures.js';
import type { ListedWorkstation } from '../api/machines.js';
import { Link } from '../shell/router.js';
import { Time } from '../ui/display.js';
import { DeskPhoto } from './desk-photo.js';
import { DeskStatus } from './desk-status.js';
import { runtimeWords, whyIdle, whyWaiting } from './desk-words.js';

interface DeskRowsProps {
  desks: ListedWorkstation[];
  label: string;
  /** Number of running builds by desk; undefined while loading. */
  running: Map<string, number> | undefined;
  availability: DeskFigures[] | undefined;
}

export function DeskRows({ desks, label, running, availability }: DeskRowsProps) {
  const figuresOf = (id: string) => availability?.find(({ workstation_id }) => workstation_id === id);
  return (
    <div className="desk-rows">
      <div className="desk-row desk-row-head" aria-hidden="true">
        <span>Desk</span>
        <span>State</span>
        <span>Last seen</span>
        <span>Version</span>
        <span>Builds</span>
        <span>Ready in 14 days</span>
      </div>
      <ul aria-label={label}>
        {desks.map((desk) => (
          <li key={desk.workstation_id} className="desk-row" data-desk={desk.workstation_id}>
            <DeskName desk={desk} />
            <div className="desk-state">
              <DeskStatus desk={desk} />
              {!desk.ready && desk.status !== 'suspended' && (
                <span className="muted small">{whyWaiting(desk)}</span>
              )}
              {whyIdle(desk) && <span className="small desk-idle">{whyIdle(desk)}</span>}
            </div>
            <Cell label="Last seen">
              <Time at={desk.environment?.last_contact_at} />
            </Cell>
            <Cell label="Version">
              {desk.environment?.sidecar_version ? (
                <span className="mono">{desk.environment.sidecar_version}</span>
              ) : (
                <span className="muted">none</span>
              )}
            </Cell>
            <Cell label="Builds running">
              <RunningBuilds desk={desk} count={running?.get(desk.workstation_id) ?? 0} />
            </Cell>
            <Cell label="Ready in 14 days">
              <AvailabilityBar figures={figuresOf(desk.workstation_id)} />
            </Cell>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Cell({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="desk-cell">
      <span className="desk-cell-label">{label} </span>
      {children}
    </div>
  );
}

function DeskName({ desk }: { desk: ListedWorkstation }) {
  return (
    <div className="desk-name">
      <DeskPhoto address={desk.environment?.image_url} size={38} stamp="" />
      <div className="desk-name-text">
        <Link to={`/dashboard/machines/${desk.workstation_id}`} className="desk-link">
          {desk.name}
        </Link>
        <span className="muted small clip" title={desk.environment?.description ?? undefined}>
          {runtimeWords(desk.runtime)}
          {desk.environment?.description ? ` · ${desk.environment.description}` : ''}
        </span>
      </div>
    </div>
  );
}

function RunningBuilds({ desk, count }: { desk: ListedWorkstation; count: number }) {
  if (count > 0) {
    return (
      <Link to={`/dashboard/machines/${desk.workstation_id}#builds`} className="number">
        {count} running
      </Link>
    );
  }
  return <span className="muted">{desk.environment?.building ? 'building' : 'idle'}</span>;
}

export function AvailabilityBar({ figures }: { figures: DeskFigures | undefined }) {
  if (!figures) return <span className="muted">not known</span>;
  const percent = Math.round(figures.ready_share * 100);
  return (
    <span className="availability" title={`Ready ${percent}% of the last 14 days`}>
      <span className="availability-days" aria-hidden="true">
        {figures.days.map(({ day, ready_minutes }) => (
          <span key={day} className="availability-day">
            <span
              className="availability-fill"
              style={{ height: `${Math.min(100, (ready_minutes / 1440) * 100)}%` }}
            />
          </span>
        ))}
      </span>
      <span className="number">{percent}%</span>
    </span>
  );
}
