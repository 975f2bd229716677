import type { Risk } from '../risk/risk.schemas.js';
import type { GateNote } from './analysis.schemas.js';

/** What was found out about the change of a build. */
export interface Analysis {
  notes: GateNote[];
  risk: Risk;
}
