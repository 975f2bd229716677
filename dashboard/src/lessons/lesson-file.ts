export const LESSON_TYPES = ['rule', 'decision', 'gotcha', 'convention', 'pattern'];

export interface LessonDraft {
  title: string;
  type: string;
  area: string;
  /** A file or folder; empty for lessons about the whole project. */
  anchor: string;
  text: string;
}

/** A slug that is valid in a lesson path. */
const slugOf = (text: string, otherwise: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60) || otherwise;

export const pathOfLesson = ({ area, title }: Pick<LessonDraft, 'area' | 'title'>): string =>
  `lessons/${slugOf(area, 'reviews')}/${slugOf(title, 'lesson')}.md`;

/** Builds the lesson file. JSON strings are valid YAML strings, so user input cannot inject YAML. */
export function fileOfLesson({ title, type, anchor, text }: LessonDraft): string {
  const about = anchor.trim();
  return [
    '---',
    `type: ${JSON.stringify(type)}`,
    `title: ${JSON.stringify(title.trim())}`,
    ...(about ? ['anchors:', `  - ${JSON.stringify(about)}`] : []),
    '---',
    '',
    text.trim(),
    '',
  ].join('\n');
}
