import { answer, noContent } from '../../platform/http/answer/answers.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../platform/http/declaration/route.js';
import { BOARD_WORDS, BoardId } from '../boards/index.js';
import {
  HostImportInput,
  Import,
  ImportQuery,
  ImportRowList,
  LARGEST_EXPORT,
  RowQuery,
  StartInput,
} from './imports.schemas.js';
import type { ImportService } from './imports.service.js';

const tags: [string] = ['Boards'];
const BOARD = '/api/v1/board/boards/{board_id}/imports';
const IMPORT = '/api/v1/board/imports/{import_id}';
const board = {
  board_id: uuidParam('Board not found', { description: BOARD_WORDS, schema: BoardId }),
};
const params = { import_id: uuidParam('Import not found', { description: 'The id of the import.' }) };
const missing = error(404, 'Not found');
const closed = error(403, 'The board belongs to another workspace');

export function importRoutes(imports: ImportService): Route[] {
  return [
    route({
      name: 'create_import',
      method: 'POST',
      path: BOARD,
      creates: {},
      agents: 'never',
      summary: 'Create an import from an exported file',
      description: 'Accepts up to 50 MiB and 100,000 rows. Creates no cards until you call start_import.',
      tags,
      access: memberAccess(),
      params: board,
      query: ImportQuery,
      upload: { field: 'file', maxBytes: LARGEST_EXPORT, description: 'The exported file', onDisk: true },
      responses: { 201: Import },
      errors: [closed, missing],
      permit: ({ caller, params: { board_id } }) => imports.permit(caller, board_id),
      prepare: ({ caller, params: { board_id }, query, spooled }) =>
        imports.readExport(caller, board_id, query.source, spooled!),
      handler: async ({ caller, params: { board_id }, query, spooled, prepared }) => {
        const importId = prepared ?? (await imports.readExport(caller, board_id, query.source, spooled!));
        return answer(201, await imports.conclude(caller, board_id, importId, query.source));
      },
    }),
    route({
      name: 'create_host_import',
      method: 'POST',
      path: `${BOARD}/host`,
      creates: {},
      summary: "Create an import from a project's repository host",
      description: 'Reads the issues in the background; the status is `reading` until all are read.',
      tags,
      access: memberAccess(),
      params: board,
      body: HostImportInput,
      responses: { 201: Import },
      errors: [closed, missing],
      permit: ({ caller, params: { board_id } }) => imports.permit(caller, board_id),
      handler: async ({ caller, params: { board_id }, body }) =>
        answer(201, await imports.beginHostImport(caller, board_id, body.project_id.toLowerCase())),
    }),
    route({
      name: 'get_import',
      method: 'GET',
      path: IMPORT,
      summary: 'Get an import',
      description: 'Returns its status, the cards it creates, and the data that cannot be imported.',
      tags,
      access: memberAccess(),
      params,
      responses: { 200: Import },
      errors: [missing],
      handler: ({ caller, params: { import_id } }) => imports.get(caller, import_id),
    }),
    route({
      name: 'list_import_rows',
      method: 'GET',
      path: `${IMPORT}/rows`,
      pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'rows' },
      summary: 'List the rows of an import',
      description: 'Returns the card of each row, or the reason why it has none.',
      tags,
      access: memberAccess(),
      params,
      query: RowQuery,
      responses: { 200: ImportRowList },
      errors: [missing],
      handler: ({ caller, params: { import_id }, query }) => imports.listRows(caller, import_id, query),
    }),
    route({
      name: 'start_import',
      method: 'POST',
      path: `${IMPORT}/start`,
      summary: 'Start an import',
      description: 'Creates its cards in the background. An import that failed continues where it stopped.',
      tags,
      access: memberAccess(),
      params,
      body: StartInput,
      responses: { 202: Import },
      errors: [closed, missing, error(409, 'The import is still reading, or done')],
      handler: async ({ caller, params: { import_id }, body }) =>
        answer(202, await imports.start(caller, import_id, body)),
    }),
    route({
      name: 'delete_import',
      method: 'DELETE',
      path: IMPORT,
      summary: 'Delete an import',
      description: 'Deletes the rows that were read. Cards stay.',
      tags,
      access: memberAccess(),
      params,
      responses: { 204: null },
      errors: [missing],
      handler: async ({ caller, params: { import_id } }) => {
        await imports.remove(caller, import_id);
        return noContent();
      },
    }),
  ];
}
