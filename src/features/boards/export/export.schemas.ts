import { Type } from 'typebox';
import { OneOf } from '../../../platform/http/declaration/schemas.js';
import { DETAIL_LEVELS } from '../cards/card-fields.js';

export const ExportQuery = Type.Object({
  detail: Type.Optional(
    OneOf(DETAIL_LEVELS, { description: 'How much of each card; `standard` unless said.' }),
  ),
  columns: Type.Optional(Type.String({ description: 'Only these, by name, comma-separated.' })),
});
