import { useId, useState } from 'react';
import type { Build, BuildCheck } from '../../api/builds.js';
import { Button } from '../../ui/button.js';
import { Badge, formatDuration } from '../../ui/display.js';
import { ErrorNote } from '../../ui/feedback.js';
import { LogLines } from '../log/log-lines.js';
import { CHECK_TONES, CHECK_WORDS, shownStatus } from './gate-words.js';
import { useCheckLog } from './use-check-log.js';

interface RowProps {
  build: Build;
  check: BuildCheck;
}

export function CheckRow({ build, check }: RowProps) {
  const [open, setOpen] = useState(false);
  const logId = useId();
  const status = shownStatus(check, build);
  return (
    <li className="check-row">
      <div className="check-line">
        <Badge tone={CHECK_TONES[status]}>
          {status === 'running' && <span className="build-pulse" aria-hidden="true" />}
          {CHECK_WORDS[status]}
        </Badge>
        <span className="check-name">{check.name}</span>
        <span className="muted small numbers">{describeEnd(check)}</span>
        {check.status !== 'pending' && check.status !== 'skipped' && (
          <Button
            small
            tone="quiet"
            aria-expanded={open}
            aria-controls={open ? logId : undefined}
            onClick={() => setOpen(!open)}
          >
            {open ? 'Close log' : 'Log'}
            <span className="off-screen"> of {check.name}</span>
          </Button>
        )}
      </div>
      {open && <CheckLog id={logId} build={build} name={check.name} />}
    </li>
  );
}

const describeEnd = ({ seconds, exit_code }: BuildCheck): string =>
  [seconds !== null && formatDuration(seconds), exit_code !== null && `exit code ${exit_code}`]
    .filter(Boolean)
    .join(', ');

interface LogProps {
  id: string;
  build: Build;
  name: string;
}

function CheckLog({ id, build, name }: LogProps) {
  const { book, fault } = useCheckLog(build.build_id, name);
  const [following, setFollowing] = useState(true);
  return (
    <div className="check-log" id={id}>
      {fault && <ErrorNote fault={fault} />}
      {book.lines.length > 0 ? (
        <LogLines book={book} label={`Log of ${name}`} following={following} onFollowing={setFollowing} />
      ) : (
        !fault && (
          <p className="muted small" role="status">
            {book.finished ? 'No output.' : 'No output yet.'}
          </p>
        )
      )}
    </div>
  );
}
