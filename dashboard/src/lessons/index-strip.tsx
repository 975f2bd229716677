import { useAction } from '../api/action.js';
import { type IndexState, startIndex } from '../api/lessons.js';
import { type Resource, refresh } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Badge, formatCount, plainWords, sentence, Time, type Tone } from '../ui/display.js';
import { ErrorNote } from '../ui/feedback.js';
import { isRunning } from './use-index.js';

const TONES: Record<IndexState['status'], Tone> = {
  queued: 'info',
  running: 'info',
  ready: 'good',
  failed: 'bad',
};

interface StripProps {
  projectId: string;
  attached: boolean;
  index: Resource<IndexState>;
}

export function IndexStrip({ projectId, attached, index }: StripProps) {
  const start = useAction(async () => {
    await startIndex(projectId);
    refresh(`index:${projectId}`);
  });
  const state = index.data;
  if (!attached)
    return <p className="index-strip muted">No repository is attached. You can still push lessons.</p>;
  return (
    <section className="stack-tight" aria-label="Index">
      <div className="index-strip">
        {state ? (
          <Figures state={state} />
        ) : (
          <span className="muted">{index.fault?.message ?? 'Reading…'}</span>
        )}
        <Button
          small
          aria-disabled={start.busy || isRunning(state) || undefined}
          onClick={() => !isRunning(state) && void start.run()}
        >
          Index now
        </Button>
      </div>
      {state && isRunning(state) && <Progress state={state} />}
      {start.fault && <ErrorNote fault={start.fault} />}
      {state?.error && (
        <div className="note note-error" role="alert">
          <div className="note-text">{state.error}</div>
        </div>
      )}
      {state && state.warnings.length > 0 && <Warnings warnings={state.warnings} />}
    </section>
  );
}

function Figures({ state }: { state: IndexState }) {
  const figures: [string, number][] = [
    ['files', state.files],
    ['places', state.nodes],
    ['links', state.edges],
    ...(state.lessons > 0 ? ([['lessons in it', state.lessons]] as [string, number][]) : []),
  ];
  return (
    <span className="index-figures">
      <Badge tone={TONES[state.status]}>{state.status}</Badge>
      {state.commit && (
        <span className="mono" title={state.commit}>
          {state.commit.slice(0, 10)}
        </span>
      )}
      {figures.map(([name, count]) => (
        <span key={name} title={`${count} ${name}`}>
          <strong className="number">{formatCount(count)}</strong> <span className="muted">{name}</span>
        </span>
      ))}
      {state.finished_at && (
        <span className="muted">
          finished <Time at={state.finished_at} />
        </span>
      )}
    </span>
  );
}

function Progress({ state: { progress, status } }: { state: IndexState }) {
  const share = progress && progress.total > 0 ? progress.done / progress.total : 0;
  const phase = progress ? sentence(plainWords(progress.phase)) : sentence(status);
  return (
    <div className="index-progress">
      <progress max={1} value={progress ? share : undefined} aria-label={`Index: ${phase}`} />
      <span className="muted small number" role="status">
        {phase}
        {progress && progress.total > 0 && ` ${progress.done} of ${progress.total}`}
      </span>
    </div>
  );
}

function Warnings({ warnings }: { warnings: string[] }) {
  return (
    <details className="small">
      <summary>
        {warnings.length} {warnings.length === 1 ? 'warning' : 'warnings'}
      </summary>
      <ul className="bullets">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </details>
  );
}
