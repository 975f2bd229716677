import { deskOnly, outcomeOfPerson } from '../builds.errors.js';
import type { FinishBody } from './desk.schemas.js';

/** What a person may say of an end: a conversation would teach an agent, and a hold keeps a desk from work. */
export function readHandIn(body: FinishBody): FinishBody {
  if (body.outcome !== 'succeeded' && body.outcome !== 'failed') throw outcomeOfPerson();
  if (body.conversation?.length || body.held_until) throw deskOnly();
  return body;
}
