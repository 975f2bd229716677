import type { Arguments } from './arguments.js';
import { unknownResource } from './mcp.errors.js';

export interface Template {
  uriTemplate: string;
  name: string;
  description: string;
  mimeType: string;
}

/** What an agent can open by address instead of by a call: each is the answer of one operation. */
interface ResourceKind extends Template {
  pattern: RegExp;
  operation: string;
  toArguments(match: RegExpExecArray): Arguments;
}

const decode = (text: string | undefined): string => {
  try {
    return decodeURIComponent(text ?? '');
  } catch {
    throw unknownResource();
  }
};

const KINDS: readonly ResourceKind[] = [
  {
    uriTemplate: 'guildhall://agents/{agent_id}/memory',
    name: 'agent-memory',
    description: 'What an agent remembers: the section that its MEMORY.md holds.',
    mimeType: 'text/markdown',
    pattern: /^guildhall:\/\/agents\/([^/]+)\/memory$/,
    operation: 'get_memory_section',
    toArguments: ([, agent]) => ({ agent_id: decode(agent) }),
  },
  {
    uriTemplate: 'guildhall://projects/{project_id}/lessons/{+path}',
    name: 'lessons-near-file',
    description: 'Lessons anchored at or near a file or folder of a project.',
    mimeType: 'application/yaml',
    pattern: /^guildhall:\/\/projects\/([^/]+)\/lessons\/(.+)$/,
    operation: 'find_lessons_near',
    toArguments: ([, project, path]) => ({ project_id: decode(project), paths: [decode(path)] }),
  },
  {
    uriTemplate: 'guildhall://boards/{board_id}',
    name: 'board',
    description: 'A board with its columns and cards, in brief.',
    mimeType: 'text/markdown',
    pattern: /^guildhall:\/\/boards\/([^/]+)$/,
    operation: 'export_board',
    toArguments: ([, board]) => ({ board_id: decode(board), detail: 'summary' }),
  },
];

/** The templates whose operation the caller may use. */
export const listTemplates = (isOpen: (operation: string) => boolean): Template[] =>
  KINDS.filter(({ operation }) => isOpen(operation)).map(({ uriTemplate, name, description, mimeType }) => ({
    uriTemplate,
    name,
    description,
    mimeType,
  }));

/** The operation and the arguments that an address stands for. */
export function readAddress(uri: string): { operation: string; args: Arguments; mimeType: string } {
  for (const { pattern, operation, toArguments, mimeType } of KINDS) {
    const match = pattern.exec(uri);
    if (match) return { operation, args: toArguments(match), mimeType };
  }
  throw unknownResource();
}
