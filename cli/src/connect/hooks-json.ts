import type { Program } from '../hooks/event.js';
import type { Edit } from './edit.js';
import { equals, isObject, readObject, writeObject } from './json.js';

interface Wanted {
  event: string;
  matcher?: string;
  hook: string;
}

/** The event names of each program. Codex has no session end event, only the end of each turn. */
const MOMENTS: Record<Program, Wanted[]> = {
  claude: [
    { event: 'SessionStart', hook: 'session-start' },
    { event: 'PostToolUse', matcher: 'Edit|MultiEdit|Write|NotebookEdit', hook: 'tool-used' },
    { event: 'SessionEnd', hook: 'session-end' },
  ],
  codex: [
    { event: 'SessionStart', hook: 'session-start' },
    { event: 'PostToolUse', matcher: 'apply_patch|Edit|Write', hook: 'tool-used' },
    { event: 'Stop', hook: 'session-end' },
  ],
};

/** In seconds. Our hooks finish within two. */
const LIMIT = 5;

/** Succeeds silently without guildhall, so that other people in the repository see no errors. */
const commandOf = (program: Program, hook: string) =>
  `command -v guildhall >/dev/null 2>&1 && guildhall hook ${hook} --program ${program} || true`;

const isOurs = (group: unknown): boolean =>
  isObject(group) &&
  Array.isArray(group['hooks']) &&
  group['hooks'].length > 0 &&
  group['hooks'].every((hook) => isObject(hook) && /\bguildhall hook /.test(String(hook['command'])));

const PATHS = { claude: '.claude/settings.json', codex: '.codex/hooks.json' } as const;

/** Edits `hooks` in `.claude/settings.json` or in `.codex/hooks.json`, which has the same format. */
export const hooksJson = (program: Program): Edit => ({
  path: PATHS[program],
  add(text) {
    const file = readObject(this.path, text);
    const before = isObject(file['hooks']) ? file['hooks'] : {};
    const hooks = { ...before };
    for (const { event, matcher, hook } of MOMENTS[program]) {
      const group = {
        ...(matcher !== undefined && { matcher }),
        hooks: [{ type: 'command', command: commandOf(program, hook), timeout: LIMIT }],
      };
      const groups = listOf(hooks[event]);
      if (groups.some((each) => equals(each, group))) continue;
      hooks[event] = [...groups.filter((each) => !isOurs(each)), group];
    }
    return equals(before, hooks) ? text : writeObject(text, { ...file, hooks });
  },
  remove(text) {
    const file = readObject(this.path, text);
    const { hooks: before, ...others } = file;
    if (!isObject(before)) return text;
    const hooks = Object.fromEntries(
      Object.entries(before)
        .map(
          ([event, groups]) =>
            [event, Array.isArray(groups) ? groups.filter((each) => !isOurs(each)) : groups] as const,
        )
        .filter(
          ([event, groups]) =>
            !Array.isArray(groups) || groups.length > 0 || listOf(before[event]).length === 0,
        ),
    );
    if (equals(before, hooks)) return text;
    const rest = Object.keys(hooks).length > 0 ? { ...file, hooks } : others;
    return Object.keys(rest).length > 0 ? writeObject(text, rest) : null;
  },
});

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
