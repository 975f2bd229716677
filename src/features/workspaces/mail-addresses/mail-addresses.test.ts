import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startTestApp, type TestBrand, type TestPerson, type World } from '../../../../tests/support/app.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { DAY } from '../../../kernel/clock.js';

let world: World;
let brand: TestBrand;
let names = 0;

beforeAll(async () => {
  world = await startTestApp({ env: { MAIL_LISTEN: '127.0.0.1:0', MAIL_DOMAIN: 'mail.example.test' } });
  brand = await world.brand();
});
afterAll(() => world.stop());

const newName = () => `name-${++names}`;

async function mailPerson(fields: Record<string, unknown> = {}) {
  const name = newName();
  const person = await world.person({ password: undefined, mail_name: name, ...fields });
  await world.member(brand, { person });
  const headers = { authorization: `Bearer ${await world.token(brand, person, [])}` };
  const send = (wish: unknown) =>
    world.inject({ method: 'PUT', url: '/api/v1/me/mail/address', payload: { name: wish }, headers });
  return {
    person,
    name,
    check: async (wish: string) => {
      const url = `/api/v1/me/mail/address/availability?name=${encodeURIComponent(wish)}`;
      const response = await world.inject({ url, headers });
      return [response.statusCode, response.json()] as const;
    },
    send,
    rename: async (wish: unknown) => {
      const response = await send(wish);
      return [response.statusCode, response.json()] as const;
    },
  };
}

const TAKEN = [409, { detail: 'This Guildhall address is not available' }];
const BAD_NAMES = ['', 'ab', 'a'.repeat(31), '-ab', 'ab-', 'Abc', 'a.b', 'a b', 'äbc', 'abc\n', 'a_b'];

describe('GET /me/mail/address/availability', () => {
  it('returns name, domain and availability', async () => {
    const [ada, ben] = [await mailPerson(), await mailPerson()];
    const domain = 'mail.example.test';
    expect(await ada.check('brand-new')).toEqual([200, { name: 'brand-new', domain, available: true }]);
    expect(await ada.check(ben.name)).toEqual([200, { name: ben.name, domain, available: false }]);
    expect(await ada.check(ada.name)).toEqual([200, { name: ada.name, domain, available: false }]);
  });

  it.each([
    'admin administrator webmaster hostmaster postmaster abuse security noc root mailer-daemon',
    'no-reply noreply info support ssladmin sysadmin',
  ])('reserves the names of authorities and standards: %s', async (names) => {
    const ada = await mailPerson();
    for (const name of names.split(' ')) {
      expect(await ada.check(name)).toMatchObject([200, { available: false }]);
      expect(await ada.rename(name)).toEqual(TAKEN);
    }
  });

  it.each(BAD_NAMES)('returns 422 for %j', async (name) => {
    expect((await (await mailPerson()).check(name))[0]).toBe(422);
  });

  it('returns 404 when the person has no address on the mail domain, but 422 for an invalid name first', async () => {
    for (const mailbox of [{}, { mail_address: 'ada@elsewhere.test' }]) {
      const nobody = await mailPerson({ mail_name: undefined, ...mailbox });
      expect(await nobody.check('some-name')).toEqual([404, { detail: 'Not found' }]);
      expect((await nobody.check('x'))[0]).toBe(422);
    }
  });
});

describe('GET /me/mail/address', () => {
  const read = async (person: TestPerson) => {
    const headers = { authorization: `Bearer ${await world.token(brand, person, [])}` };
    const response = await world.inject({ url: '/api/v1/me/mail/address', headers });
    return [response.statusCode, response.json()];
  };

  it('returns the address and the old addresses that forward to it', async () => {
    const ada = await mailPerson();
    const address = (name: string) => `${name}@mail.example.test`;
    expect(await read(ada.person)).toEqual([200, { address: address(ada.name), forwards: [] }]);
    const wish = newName();
    const [, { forwards_until }] = await ada.rename(wish);
    const forwards = [{ address: address(ada.name), until: forwards_until }];
    expect(await read(ada.person)).toEqual([200, { address: address(wish), forwards }]);
    await world.advance(30 * DAY);
    expect(await read(ada.person)).toEqual([200, { address: address(wish), forwards: [] }]);
  });

  it('returns a mailbox on another domain, and 404 without one', async () => {
    const elsewhere = await mailPerson({ mail_name: undefined, mail_address: 'ada@elsewhere.test' });
    expect(await read(elsewhere.person)).toEqual([200, { address: 'ada@elsewhere.test', forwards: [] }]);
    const nobody = await mailPerson({ mail_name: undefined });
    expect(await read(nobody.person)).toEqual([404, { detail: 'Not found' }]);
  });
});

describe('PUT /me/mail/address', () => {
  it('renames and forwards from the old address for 30 days', async () => {
    const ada = await mailPerson();
    const wish = newName();
    const before = world.clock.now().getTime();
    const [status, body] = await ada.rename(wish);
    expect([status, body]).toEqual([
      200,
      {
        address: `${wish}@mail.example.test`,
        forwarding_from: `${ada.name}@mail.example.test`,
        forwards_until: expect.any(String),
      },
    ]);
    const days = (Date.parse(body.forwards_until) - before) / (DAY * 1000);
    expect(Math.round(days * 1000) / 1000).toBe(30);
  });

  it('rejects the current name, a taken name and a name that forwards to another person', async () => {
    const [ada, ben] = [await mailPerson(), await mailPerson()];
    expect(await ada.rename(ada.name)).toEqual([409, { detail: 'This is already your Guildhall address' }]);
    expect(await ada.rename(ben.name)).toEqual(TAKEN);
    await ben.rename(newName());
    expect(await ada.rename(ben.name)).toEqual(TAKEN);
    expect(await ada.check(ben.name)).toMatchObject([200, { available: false }]);
  });

  it('leaves a person with one current address after concurrent renames', async () => {
    const ada = await mailPerson();
    const wishes = Array.from({ length: 5 }, newName);
    const answers = await Promise.all(wishes.map((wish) => ada.rename(wish)));
    expect(answers.map(([status]) => status)).toEqual(Array(5).fill(200));
    const owned = await world.db
      .selectFrom('mail_names')
      .select(['name', 'current'])
      .where('user_id', '=', ada.person.user_id)
      .execute();
    expect(owned.map(({ name }) => name).sort()).toEqual([ada.name, ...wishes].sort());
    expect(owned.filter(({ current }) => current)).toHaveLength(1);
  });

  it('allows five forwarding names and returns 429 for a further rename until the first one ends', async () => {
    const ada = await mailPerson();
    await world.freeze();
    await ada.rename(newName());
    await world.advance(DAY);
    for (let time = 0; time < 4; time++) expect((await ada.rename(newName()))[0]).toBe(200);
    const many = await Promise.all(Array.from({ length: 4 }, () => ada.send(newName())));
    for (const answer of many) {
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, String(29 * DAY)]);
      expect(answer.json()).toEqual({
        detail: 'Five old addresses forward already; rename again when one of them has ended',
      });
    }
    const taken = await mailPerson();
    expect(await ada.rename(taken.name)).toEqual(TAKEN);
    // Taking an old name back ends one forward, so there are still five.
    expect((await ada.rename(ada.name))[0]).toBe(200);
    expect((await ada.rename(newName()))[0]).toBe(429);
    await world.advance(30 * DAY);
    expect((await ada.rename(newName()))[0]).toBe(200);
    await world.freeze(false);
  });

  it('rejects a mailbox on another domain and a missing mailbox', async () => {
    const outside = await mailPerson({ mail_name: undefined, mail_address: 'ada@elsewhere.test' });
    expect(await outside.rename('some-name')).toEqual([409, { detail: 'This mailbox cannot be renamed' }]);
    const nobody = await mailPerson({ mail_name: undefined });
    expect(await nobody.rename('some-name')).toEqual([404, { detail: 'Not found' }]);
  });

  it.each([...BAD_NAMES, null, 5, ['abc']])('returns 422 for %j', async (name) => {
    const nobody = await mailPerson({ mail_name: undefined });
    expect((await nobody.rename(name))[0]).toBe(422);
  });

  itDeeply('gives a name to exactly one of 50 concurrent requests', async () => {
    const people = await Promise.all(Array.from({ length: 50 }, () => mailPerson()));
    const wish = newName();
    const answers = await Promise.all(people.map(({ rename }) => rename(wish)));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.filter(([status]) => status !== 200)).toEqual(Array(49).fill(TAKEN));
    const owners = await world.db
      .selectFrom('mail_names')
      .select('user_id')
      .where('current', '=', true)
      .execute();
    expect(new Set(owners.map(({ user_id }) => user_id)).size).toBe(owners.length);
    for (const [index, { name, rename }] of people.entries()) {
      if (answers[index]![0] !== 200) expect((await rename(name))[0]).toBe(409);
    }
  });
});

// Last in the file, because the clock can only be advanced.
describe('Mail over SMTP', () => {
  const transport = () =>
    nodemailer.createTransport({ ...world.app.mailAddress()!, secure: false, ignoreTLS: true });

  async function send(to: string | string[], subject: string): Promise<number> {
    try {
      await transport().sendMail({ from: 'sender@elsewhere.test', to, subject, text: 'Hello' });
      return 250;
    } catch (fault) {
      return (fault as { responseCode: number }).responseCode;
    }
  }

  async function mailOf({ user_id }: TestPerson): Promise<string[]> {
    const folder = join(world.config.dataDir, 'mail', String(user_id), 'new');
    const files = await readdir(folder).catch(() => []);
    return Promise.all(files.sort().map((file) => readFile(join(folder, file), 'utf8')));
  }

  const at = (name: string) => `${name}@mail.example.test`;

  it('reaches the person under both names after a rename, and under the old one no more after 31 days', async () => {
    const ada = await mailPerson();
    expect(await send(at(ada.name), 'before')).toBe(250);
    const wish = newName();
    await ada.rename(wish);
    expect(await send(at(ada.name), 'forwarded')).toBe(250);
    expect(await send(at(wish.toUpperCase()), 'direct')).toBe(250);
    expect(await send([at(ada.name), at(wish)], 'once')).toBe(250);

    const letters = await mailOf(ada.person);
    const subjects = letters.map((letter) => /^Subject: (.*)$/m.exec(letter)![1]!.trim());
    expect(subjects.sort()).toEqual(['before', 'direct', 'forwarded', 'once']);
    const forwarded = letters.find((letter) => letter.includes('Subject: forwarded'))!;
    expect(forwarded).toContain(`Delivered-To: ${at(wish)}`);
    expect(forwarded).toContain(`X-Original-To: ${at(ada.name)}`);

    await world.advance(31 * DAY);
    expect(await send(at(ada.name), 'too late')).toBe(550);
    expect(await send(at(wish), 'still here')).toBe(250);
    expect(await mailOf(ada.person)).toHaveLength(5);
  });

  it('reaches the person under every old name after several renames', async () => {
    const ada = await mailPerson();
    const [second, third] = [newName(), newName()];
    await ada.rename(second);
    await ada.rename(third);
    for (const name of [ada.name, second, third]) expect(await send(at(name), name)).toBe(250);
    expect(await mailOf(ada.person)).toHaveLength(3);
  });

  it('rejects unknown names and never relays', async () => {
    expect(await send(at('nobody-here'), 'x')).toBe(550);
    expect(await send('somebody@elsewhere.test', 'x')).toBe(550);
    const ada = await mailPerson();
    expect(await send(`${ada.name}@mail.example.test.elsewhere.test`, 'x')).toBe(550);
  });
});
