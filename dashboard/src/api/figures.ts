import type { WorkspaceFigures } from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type Figures = WorkspaceFigures;
export type DeskFigures = Figures['desks'][number];

export const readFigures = (brand_id: number, weeks: number, signal?: AbortSignal) =>
  guildhall.getWorkspaceFigures({ brand_id, weeks }, { signal });
