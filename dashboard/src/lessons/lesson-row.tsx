import type { ReactNode } from 'react';
import { Link } from '../shell/router.js';
import { Badge, type Tone } from '../ui/display.js';
import { PinIcon } from '../ui/icons.js';
import { readerAddress } from './addresses.js';
import { nameOfLesson } from './places.js';

export interface RowLesson {
  path: string;
  type: string;
  pinned: boolean;
  stale?: boolean;
  title?: string;
  anchors?: string[];
}

const TONES: Record<string, Tone> = { rule: 'accent', gotcha: 'warn', decision: 'info' };

export const TypeBadge = ({ type }: { type: string }) => <Badge tone={TONES[type] ?? 'plain'}>{type}</Badge>;

export const PinnedSign = () => (
  <span className="accent" title="Pinned" role="img" aria-label="Pinned">
    <PinIcon size={14} />
  </span>
);

export function LessonRow({ lesson, children }: { lesson: RowLesson; children?: ReactNode }) {
  return (
    <Link to={readerAddress(lesson.path)} className="row lesson-row" data-row={lesson.path}>
      <span className="row-main">
        <span className="row-title">
          {lesson.pinned && <PinnedSign />}
          <TypeBadge type={lesson.type} />
          <strong>{lesson.title || nameOfLesson(lesson.path)}</strong>
          {lesson.stale && <Badge tone="warn">stale</Badge>}
        </span>
        {lesson.anchors && lesson.anchors.length > 0 && (
          <span className="mono muted small lesson-anchors">{lesson.anchors.join('  ')}</span>
        )}
        {children}
      </span>
    </Link>
  );
}
