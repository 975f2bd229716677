// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are sources
import { describe, expect, it } from 'vitest';
import { applyMutant, listMutants, spread } from '../scripts/mutate/mutants.js';

const broken = (source: string) =>
  listMutants('rule.ts', source).map((mutant) => `${mutant.what}: ${applyMutant(source, mutant)}`);

describe('Mutants of a source', () => {
  it('negate conditions', () => {
    expect(broken('if (old) go();')).toContain('condition negated: if (!(old)) go();');
    expect(broken('const a = old ? b : c;')).toEqual(['condition negated: const a = !(old) ? b : c;']);
  });

  it('change comparison operators, and invert an equality only once', () => {
    expect(broken('const a = b < c;')).toEqual(['< for <=: const a = b <= c;']);
    expect(broken('const a = b === c;')).toEqual(['=== for !==: const a = b !== c;']);
    expect(broken('if (b === c) {}')).toEqual(['condition negated: if (!(b === c)) {}']);
  });

  it('empty the return values of functions and arrows', () => {
    expect(broken('function f() { return x; }')).toEqual(['return emptied: function f() { return; }']);
    expect(broken('const f = () => x;')).toEqual(['return emptied: const f = () => undefined;']);
    expect(broken('const f = () => ({ x });')).toEqual(['return emptied: const f = () => undefined;']);
  });

  it('remove statements and drop awaits', () => {
    expect(broken('await save();')).toEqual([
      'statement removed: ;',
      'await dropped: Promise.resolve(save()).catch(() => {});',
    ]);
    expect(broken("throw new Error('no');")).toEqual(['statement removed: ;']);
  });

  it('change numbers by one, but not indexes', () => {
    expect(broken('const limit = 1_000;')).toEqual(['number off by one: const limit = (1_000 + 1);']);
    expect(broken('const a = list[0];')).toEqual([]);
  });

  it('swap && and ||, and drop the fallback of ??', () => {
    expect(broken('const a = b && c;')).toEqual(['&& turned: const a = (b) || (c);']);
    expect(broken('const a = b ?? c;')).toEqual(['?? dropped: const a = b;']);
  });

  it('drop each condition of SQL, including join conditions', () => {
    expect(
      broken('const q = sql`select 1 from a join b on b.x = a.x where a.id = ${id} and (b.y or b.z)`;'),
    ).toEqual([
      'condition dropped: const q = sql`select 1 from a join b on true where a.id = ${id} and (b.y or b.z)`;',
      'condition dropped: const q = sql`select 1 from a join b on b.x = a.x where true and (b.y or b.z)`;',
      'condition dropped: const q = sql`select 1 from a join b on b.x = a.x where a.id = ${id} and true`;',
    ]);
    expect(broken('f(sql`delete from a where x between 1 and 2 and y > 0 returning id`)')).toEqual(
      expect.arrayContaining([
        'condition dropped: f(sql`delete from a where true and y > 0 returning id`)',
        'condition dropped: f(sql`delete from a where x between 1 and 2 and true returning id`)',
      ]),
    );
  });

  it('drop each assignment of SQL, unless it is the only one', () => {
    expect(broken('f(sql`update a set x = ${f(1, 2)}, y = least(a, b) where id = 1`)')).toEqual(
      expect.arrayContaining([
        'assignment dropped: f(sql`update a set y = least(a, b) where id = 1`)',
        'assignment dropped: f(sql`update a set x = ${f(1, 2)} where id = 1`)',
      ]),
    );
    expect(broken('f(sql`update a set x = 1 where id = 1`)').join()).not.toContain('assignment');
  });

  it('leave types, imports and log calls alone', () => {
    expect(broken("import { a } from './a.js';\ntype B = 1 | 2;\nlog.info({ tries: 3 }, 'tried');")).toEqual(
      [],
    );
  });

  it('have the right position after multi-byte characters', () => {
    expect(broken("const a = 'grüße 🙂' === b;")).toEqual(["=== for !==: const a = 'grüße 🙂' !== b;"]);
  });
});

it('spread orders the items so that a shortened run still covers the whole list', () => {
  expect(spread([1, 2, 3, 4, 5], 2)).toEqual([1, 3, 5, 2, 4]);
});
