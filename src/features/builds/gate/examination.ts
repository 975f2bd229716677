import type { Risk } from '../risk/risk.schemas.js';
import type { GateNote } from './gate.schemas.js';

/** What was found out about the change of a build. */
export interface Examination {
  notes: GateNote[];
  risk: Risk;
}
