import { pathInCheckout } from '../checkout.js';
import { findProject } from '../projects.js';
import { type Hook, type HookContext, isObject } from './event.js';
import { rememberShown } from './shown.js';

const MOST_FILES = 20;
const MOST_LESSONS = 10;

/** After a tool edits files, returns lessons on them and on nearby code, each once per session. */
export const showLessons: Hook = async (context) => {
  const paths = editedFiles(context);
  if (paths.length === 0) return undefined;
  const project_id = await findProject(context.checkout, context.service.client, context.signal);
  if (project_id === undefined) return undefined;
  const near = await context.service.client.findLessonsNear(
    { project_id, paths, limit: MOST_LESSONS },
    { signal: context.signal },
  );
  const fresh = rememberShown(context.env, context.said.session_id, near.entries);
  if (fresh.length === 0) return undefined;
  const lines = fresh.map(({ type, path, body, hops, stale, stale_reason }) => {
    const where = hops === 0 ? 'on this code' : `${hops} ${hops === 1 ? 'step' : 'steps'} away`;
    const doubt = stale ? `, STALE: ${stale_reason ?? 'its code has changed'}` : '';
    return `- [${type}] ${path} (${where}${doubt})\n  ${body.trim().replace(/\n/g, '\n  ')}`;
  });
  return [`Lessons near ${paths.join(', ')} (Guildhall):`, '', ...lines].join('\n');
};

/** The files of an edit: named in a field, or in the headings of a patch. */
function editedFiles({ said, checkout, folder }: HookContext): string[] {
  const { tool_input: input } = said;
  const edits = Array.isArray(input['edits']) ? input['edits'].filter(isObject) : [];
  const named = [
    input['file_path'],
    input['notebook_path'],
    input['path'],
    ...edits.map((edit) => edit['file_path']),
  ];
  const patch = [input['command'], input['patch'], input['input']]
    .flat()
    .filter((text) => typeof text === 'string');
  const patched = patch.flatMap((text) =>
    [...(text as string).matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gm)].map(
      ([, file, moved]) => (file ?? moved)!.trim(),
    ),
  );
  const files = [...named, ...patched].filter(
    (file): file is string => typeof file === 'string' && file !== '',
  );
  const inside = files.flatMap((file) => {
    try {
      return [pathInCheckout(checkout, folder, file.replaceAll('#', ''))];
    } catch {
      // Files outside the checkout do not belong to the project.
      return [];
    }
  });
  return [...new Set(inside)].slice(0, MOST_FILES);
}
