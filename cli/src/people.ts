import type { Member } from '../../client/src/index.js';
import type { Call } from './command.js';
import { misuse } from './failure.js';
import { same } from './find.js';

const MOST_NAMED = 20;

export async function listMembers({ service, signal }: Call): Promise<Member[]> {
  const { client, brandId } = service();
  return (await client.listMembers({ brand_id: await brandId() }, { signal })).members;
}

/** Finds a person by user_id, email address or name. */
export async function findMember(call: Call, given: string): Promise<Member> {
  const members = await listMembers(call);
  const [exact] = members.filter(({ user_id, email }) => String(user_id) === given || same(email, given));
  if (exact) return exact;
  const named = members.filter(({ full_name }) => same(full_name ?? '', given));
  if (named.length === 1) return named[0]!;
  if (named.length > 1)
    throw misuse(
      `More than one member is named ${given}`,
      `Use an email address: ${named.map(({ email }) => email).join(', ')}`,
    );
  const names = members.slice(0, MOST_NAMED).map(({ full_name, email }) => `${full_name} (${email})`);
  const more = members.length > MOST_NAMED ? ', …' : '';
  throw misuse(`Member not found: ${given}`, `Available members: ${names.join(', ')}${more}`);
}

/** Resolves a person to a user_id; `me` is the signed-in person. */
export async function findPersonId(call: Call, given: string): Promise<number> {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  if (same(given, 'me'))
    return (await call.service().client.getCredential({}, { signal: call.signal })).user_id;
  return (await findMember(call, given)).user_id;
}
