import { type BuildComment, readBuild } from '../../api/builds.js';
import { useResource } from '../../api/resource.js';
import { LessonDialog } from '../../lessons/lesson-dialog.js';

interface LessonProps {
  buildId: string;
  comment: BuildComment;
  onClose(): void;
}

export function LessonFromComment({ buildId, comment, onClose }: LessonProps) {
  const { data } = useResource(`build:${buildId}`, (signal) => readBuild(buildId, signal), {
    freshMs: 60_000,
  });
  if (!data) return null;
  const { path, line, body } = comment;
  const place = path !== null && line !== null && !comment.outdated ? `\n\nSaid of \`${path}:${line}\`.` : '';
  return (
    <LessonDialog
      projectId={data.project_id}
      beginning={{ anchor: path ?? '', text: `${body}${place}` }}
      onClose={onClose}
    />
  );
}
