import { type Build, listDeskBuilds } from '../api/machines.js';
import { useResource } from '../api/resource.js';
import { BuildStatus } from '../builds/build-status.js';
import { costOf } from '../builds/build-words.js';
import { Link } from '../shell/router.js';
import { formatDuration, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';

const POLL_MS = 4000;
const SHOWN = 8;

export function DeskBuilds({ deskId }: { deskId: string }) {
  const builds = useResource(`desk-builds:${deskId}`, (signal) => listDeskBuilds(deskId, SHOWN, signal), {
    pollMs: POLL_MS,
  });
  return (
    <Section
      title="Builds"
      actions={
        (builds.data?.total ?? 0) > SHOWN && (
          <Link to={`/dashboard/builds?desk=${deskId}`}>All {builds.data?.total} builds of this desk</Link>
        )
      }
    >
      <Loaded of={builds} rows={2}>
        {(data) =>
          data.builds.length === 0 ? (
            <p className="muted">No builds on this desk yet.</p>
          ) : (
            <ul className="rows" aria-label="Builds" id="builds">
              {data.builds.map((build) => (
                <BuildRow key={build.build_id} build={build} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function BuildRow({ build }: { build: Build }) {
  const open = build.finished_at === null;
  return (
    <li className="row build-row">
      <div className="row-main">
        <span className="row-title">
          <Link to={`/dashboard/builds/${build.build_id}`} className="mono">
            {build.ref}
          </Link>
          <BuildStatus build={build} />
          <span className="muted small">
            attempt {build.attempt}, {build.coder}
          </span>
        </span>
        {build.reason && <span className="muted small">{build.reason}</span>}
      </div>
      <span className="build-row-end small">
        {open ? (
          <Link to={`/dashboard/builds/${build.build_id}`}>Live log</Link>
        ) : (
          <Time at={build.finished_at} />
        )}
        <span className="muted number">{[durationOf(build), costOf(build)].filter(Boolean).join(', ')}</span>
      </span>
    </li>
  );
}

function durationOf({ started_at, finished_at }: Build): string | undefined {
  if (!started_at) return undefined;
  const end = finished_at ? new Date(finished_at).getTime() : Date.now();
  return formatDuration((end - new Date(started_at).getTime()) / 1000);
}
