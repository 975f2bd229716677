import { Type } from 'typebox';
import { Described } from '../../../platform/http/declaration/schemas.js';
import { splitList } from '../board/query-values.js';
import { unknownFields } from '../boards.errors.js';
import { type FieldName, namesAt } from './card-fields.js';

const CHOICE: readonly string[] = namesAt('standard');

export const WithFields = Type.Optional(
  Described('More fields of each card, such as `priority,labels`: any of `detail=standard`.', Type.String()),
);

/** The fields that a caller asks for beyond those which a list shows anyway, in the order of the card. */
export function readChosen(text: string | undefined, shown: readonly FieldName[]): FieldName[] {
  const wanted = splitList(text) ?? [];
  const unknown = wanted.filter((name) => !CHOICE.includes(name));
  if (unknown.length > 0) throw unknownFields(unknown, CHOICE);
  return namesAt('standard').filter((name) => wanted.includes(name) && !shown.includes(name));
}
