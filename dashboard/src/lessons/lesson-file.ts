export const LESSON_TYPES = ['rule', 'decision', 'gotcha', 'convention', 'pattern'];

export interface LessonDraft {
  title: string;
  type: string;
  area: string;
  /** A file or a folder; empty where it is about none. */
  anchor: string;
  text: string;
}

/** What may stand in the path of a lesson. */
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

/** As it would stand in the repository. JSON's strings are YAML's, so nothing that is typed can be read as more than a text. */
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
