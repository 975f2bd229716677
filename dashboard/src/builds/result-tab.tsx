import type { ReactNode } from 'react';
import type { Build } from '../api/builds.js';
import { Link } from '../shell/router.js';
import { ActorName } from '../ui/actor.js';
import { Badge, Facts, formatDuration, Time } from '../ui/display.js';
import { Empty } from '../ui/feedback.js';
import { Markdown } from '../ui/markdown.js';
import { BuildDuration, DiffSize } from './build-status.js';
import { buildAddress, coderName, costOf, isOpen } from './build-words.js';

const count = (value: number): string => value.toLocaleString('en');

export function ResultTab({ build }: { build: Build }) {
  return (
    <div className="split">
      <section className="stack" aria-label="Result">
        <h2>Result</h2>
        {build.result ? (
          <div className="build-paper">
            <Markdown text={build.result} />
          </div>
        ) : (
          <Empty title={isOpen(build) ? 'Not finished yet' : 'The coder left no summary'}>
            {build.reason ?? 'The coder’s summary appears here when it finishes.'}
          </Empty>
        )}
        {build.note && (
          <>
            <h2>Note for this attempt</h2>
            <div className="build-paper">
              <Markdown text={build.note} />
            </div>
          </>
        )}
      </section>
      <section className="stack" aria-label="Usage and settings">
        <h2>Usage</h2>
        <Facts items={usageOf(build)} />
        <h2>Settings</h2>
        <Facts items={settingsOf(build)} />
      </section>
    </div>
  );
}

const shown = (rows: [string, ReactNode][]): [string, ReactNode][] =>
  rows.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');

const numberOf = (value: number | null | undefined): string | null => (value == null ? null : count(value));

const usageOf = (build: Build): [string, ReactNode][] =>
  shown([
    ['Cost', costOf(build) ?? <Unknown key="cost" build={build} />],
    ['Tokens in', numberOf(build.usage?.tokens_in)],
    ['Tokens out', numberOf(build.usage?.tokens_out)],
    ['Duration', build.started_at && <BuildDuration key="duration" build={build} />],
    ['Changes', build.diff && <DiffSize key="diff" build={build} />],
    ['Log', build.log_bytes > 0 && `${count(Math.ceil(build.log_bytes / 1024))} KiB`],
    ['Finished', build.confirmed && <Badge tone="good">reported by the coder</Badge>],
  ]);

const Unknown = ({ build }: { build: Build }) => (
  <span className="muted">{isOpen(build) ? 'available at the end' : 'not reported'}</span>
);

function settingsOf(build: Build): [string, ReactNode][] {
  const { settings } = build;
  const limits = settings?.limits;
  return shown([
    ['Where', build.local && `on the machine of ${build.created_by?.name ?? 'a former member'}`],
    ['Coder', !build.local && coderName(build.coder)],
    [
      'Profile',
      build.profile ? (
        <span key="profile" className="mono">
          {build.profile}
        </span>
      ) : (
        !build.local && 'none; the desk’s own settings'
      ),
    ],
    ['Version', settings && <span className="mono">{settings.version}</span>],
    ['Model', settings && (settings.model ?? 'the account’s default')],
    ['Effort', settings?.effort],
    ['Turns', limits?.max_turns && `at most ${limits.max_turns}`],
    ['Steps', limits?.max_steps && `at most ${limits.max_steps}`],
    ['Time limit', settings && formatDuration(settings.wall_minutes * 60)],
    ['Base', <Commit key="base" branch={build.base_branch} sha={build.base_sha} />],
    ['Head', build.head_sha && <span className="mono">{build.head_sha.slice(0, 12)}</span>],
    ['Continues', build.continues && <Link to={buildAddress(build.continues)}>the attempt before</Link>],
    ['Started by', build.created_by && <ActorName key="by" actor={build.created_by} />],
    ['Queued', <Time key="queued" at={build.queued_at} exact />],
  ]);
}

const Commit = ({ branch, sha }: { branch: string; sha: string }) => (
  <span className="mono">
    {branch} at {sha.slice(0, 12)}
  </span>
);
