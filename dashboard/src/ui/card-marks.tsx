import type { Status } from '../api/boards.js';
import { Badge, plainWords, sentence, type Tone } from './display.js';

const STATUS_TONES: Record<Status, Tone> = {
  pending: 'plain',
  in_progress: 'info',
  in_review: 'accent',
  blocked: 'bad',
  done: 'good',
  canceled: 'plain',
};

export const StatusMark = ({ status }: { status: string }) => (
  <Badge tone={STATUS_TONES[status as Status] ?? 'plain'}>{plainWords(status)}</Badge>
);

export function LabelMarks({ labels, most = labels.length }: { labels: readonly string[]; most?: number }) {
  const more = labels.length - most;
  return (
    <>
      {labels.slice(0, most).map((label) => (
        <span key={label} className="label-mark" title={label}>
          {label}
        </span>
      ))}
      {more > 0 && (
        <span className="small muted" title={labels.slice(most).join(', ')}>
          +{more}
        </span>
      )}
    </>
  );
}

const BARS: Record<string, number> = { low: 1, normal: 2, high: 3, urgent: 4 };

/** Shows bars for known priorities and the word for others; `normal` is hidden unless `always` is set. */
export function PriorityMark({ priority, always = false }: { priority: string; always?: boolean }) {
  const height = BARS[priority];
  if (priority === 'normal' && !always) return null;
  if (height === undefined) return <span className="priority-word">{priority}</span>;
  return (
    <span className={`priority priority-${priority}`} title={`Priority: ${priority}`}>
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" focusable="false">
        {[1, 2, 3, 4].map((bar) => (
          <rect
            key={bar}
            x={bar * 3.4 - 2.9}
            y={12 - bar * 2.7}
            width="2.4"
            height={bar * 2.7}
            rx="0.8"
            className={bar <= height ? 'bar-on' : 'bar-off'}
          />
        ))}
      </svg>
      <span className="off-screen">{sentence(priority)} priority</span>
    </span>
  );
}
