import type { Import, ImportRowList } from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type { Import };
export type ImportRow = ImportRowList['rows'][number];
export type RowStatus = ImportRow['status'];
export type Source = Import['source'];

/** The service's limit, checked before the upload starts. */
export const LARGEST_EXPORT = 50 * 1024 * 1024;
const PAGE = 100;

export const readFile = (board_id: string, source: Source, file: File) =>
  guildhall.createImport({ board_id, source, file });

export const readHost = (board_id: string, project_id: string) =>
  guildhall.createHostImport({ board_id, project_id });

export const readImport = (import_id: string, signal?: AbortSignal) =>
  guildhall.getImport({ import_id }, { signal });

export const listRows = (
  import_id: string,
  status: RowStatus | undefined,
  cursor: string | undefined,
  signal?: AbortSignal,
) =>
  guildhall.listImportRows(
    { import_id, limit: PAGE, ...(status && { status }), ...(cursor && { cursor }) },
    { signal },
  );

export const startImport = (
  import_id: string,
  mapping: Record<string, string>,
  users: Record<string, string>,
) => guildhall.startImport({ import_id, mapping, users });

export const deleteImport = (import_id: string) => guildhall.deleteImport({ import_id });
