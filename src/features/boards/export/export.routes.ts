import { Type } from 'typebox';
import { notModified, text } from '../../../platform/http/answer/answers.js';
import { namesTag } from '../../../platform/http/answer/conditional.js';
import { error, type Route, route } from '../../../platform/http/declaration/route.js';
import { OneOf } from '../../../platform/http/declaration/schemas.js';
import { anybody, BOARD, board, closedBoard, noBoard, tags } from '../board/route-parts.js';
import { DETAIL_LEVELS } from '../cards/card-fields.js';
import type { createExportService } from './export.service.js';

type ExportService = ReturnType<typeof createExportService>;

const ExportQuery = Type.Object({
  detail: Type.Optional(
    OneOf(DETAIL_LEVELS, { description: 'How much of each card; `standard` unless said.' }),
  ),
  columns: Type.Optional(Type.String({ description: 'Only these, by name, comma-separated.' })),
});

export function exportRoutes(boards: ExportService): Route[] {
  return [
    route({
      name: 'export_board',
      method: 'GET',
      path: `${BOARD}/export`,
      summary: 'Export a board as Markdown',
      description:
        'A heading a column, a section a card. The same board gives the same bytes. At most 1 MiB, but for `summary`.',
      mayLag: true,
      tags,
      access: anybody(),
      params: board,
      query: ExportQuery,
      queryStatus: 400,
      headers: ['If-None-Match', 'ETag', 'Cache-Control'],
      responses: {
        200: { contentType: 'text/markdown', description: 'The board, a heading per column' },
        304: null,
      },
      errors: [
        error(400, '`detail` is not one of summary, standard, full'),
        closedBoard,
        noBoard,
        error(413, 'The rendering exceeds 1 MiB'),
      ],
      handler: async ({ caller, params, query, headers }) => {
        const { markdown, etag } = await boards.exportBoard(
          caller,
          params.board_id,
          query.detail ?? 'standard',
          query.columns,
        );
        const cacheHeaders = { etag, 'cache-control': 'private, no-cache' };
        if (namesTag(headers['if-none-match'], etag)) return notModified(cacheHeaders);
        return text(200, markdown, 'text/markdown; charset=utf-8', cacheHeaders);
      },
    }),
  ];
}
