import { type ReactNode, useState } from 'react';
import type { Build, GateNote } from '../../api/builds.js';
import { Link, withParameters } from '../../shell/router.js';
import { Badge, countOf } from '../../ui/display.js';
import { BuildDuration } from '../build-status.js';
import { buildAddress, coderName, costOf } from '../build-words.js';
import { PLAIN, readAnsi } from '../log/ansi.js';
import { CheckRow } from './check-row.js';
import {
  noteWords,
  type StepState,
  type StepWords,
  tellChecks,
  tellCoder,
  tellNotes,
  tellPerson,
  tellReader,
} from './gate-words.js';
import { RiskMark, RiskReasons } from './risk-mark.js';

/** The steps between the end of the coder's work and the review by a person. */
export function Gate({ build }: { build: Build }) {
  // Start collapsed for decided builds, and do not collapse when a decision arrives.
  const [open] = useState(build.review === null);
  return (
    <details className="gate" open={open}>
      <summary>
        <h2>Review steps</h2>
        <RiskMark build={build} told />
      </summary>
      <ol className="gate-steps">
        <Step title="Coder" {...tellCoder(build)}>
          <CoderFacts build={build} />
        </Step>
        <Step title="Checks" {...tellChecks(build)}>
          <Checks build={build} />
        </Step>
        <Step title="Notes" {...tellNotes(build)}>
          <Notes notes={build.gate?.notes ?? []} />
          <RiskReasons build={build} />
        </Step>
        <Step title="Reviewer" {...tellReader(build)}>
          <Readings build={build} />
        </Step>
        <Step title="Person" {...tellPerson(build)} />
      </ol>
    </details>
  );
}

const SIGNS: Record<StepState, string> = { done: '✓', now: '●', ahead: '○', bad: '✕', warn: '!', none: '–' };

function Step({ title, state, words, children }: StepWords & { title: string; children?: ReactNode }) {
  return (
    <li className={`gate-step gate-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
      <span className="gate-sign" aria-hidden="true">
        {SIGNS[state]}
      </span>
      <h3 className="gate-title">{title}</h3>
      <div className="gate-body">
        <span className="gate-words">{words}</span>
        {children}
      </div>
    </li>
  );
}

function CoderFacts({ build }: { build: Build }) {
  if (!build.started_at) return null;
  const soFar = build.finished_at === null && costOf(build);
  return (
    <span className="muted small gate-facts">
      <span>{coderName(build.coder)}</span>
      {build.status === 'running' && <BuildDuration build={build} />}
      {soFar && <span className="numbers">{soFar} so far</span>}
    </span>
  );
}

function Checks({ build }: { build: Build }) {
  if (build.checks.length === 0) return null;
  const setup = /^The setup/.test(build.reason ?? '') ? build.reason : null;
  return (
    <>
      {setup && <p className="bad small gate-setup">{setup}</p>}
      {build.failed_setup?.log_tail && (
        <pre className="small gate-setup-log">{plainText(build.failed_setup.log_tail)}</pre>
      )}
      <ul className="check-rows" aria-label="Checks">
        {build.checks.map((check) => (
          <CheckRow key={check.name} build={build} check={check} />
        ))}
      </ul>
    </>
  );
}

const plainText = (log: string): string =>
  log
    .split('\n')
    .map((line) =>
      readAnsi(line, PLAIN)
        .pieces.map(({ text }) => text)
        .join(''),
    )
    .join('\n');

function Notes({ notes }: { notes: GateNote[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="gate-notes" aria-label="Notes">
      {notes.map(({ kind, path, count, text }) => (
        <li key={`${kind} ${path ?? ''} ${text}`}>
          <Badge tone={kind === 'review' ? 'plain' : 'warn'}>
            {noteWords(kind)}
            {count !== undefined && count > 1 && ` ×${count}`}
          </Badge>
          <span>{text}</span>
          {path && !text.includes(path) && <span className="mono small muted">{path}</span>}
        </li>
      ))}
    </ul>
  );
}

function Readings({ build }: { build: Build }) {
  const reviews = build.reviews ?? [];
  if (reviews.length === 0) return null;
  return (
    <ul className="gate-facts small" aria-label="Reviewed change">
      {reviews.map(({ build_id, comments = [] }, at) => (
        <li key={build_id}>
          <Link to={buildAddress(build_id)}>
            {reviews.length === 1 ? 'Its build' : `Review build ${at + 1}`}
          </Link>
          {comments.length > 0 && (
            <>
              ,{' '}
              <Link to={withParameters({ tab: 'changes' })}>
                {countOf(comments.length, 'comment')} next to the lines
              </Link>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
