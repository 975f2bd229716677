import { describe, expect, it } from 'vitest';
import { judgeMigration } from '../../../../scripts/sql/migration-rules.js';

const judge = (sql: string) => judgeMigration('0400_new.sql', sql);

describe('Migration rules', () => {
  it.each([
    ['alter table cards alter column title type varchar(10);', 'rewrites a table'],
    ['alter table cards alter title set not null;', 'NOT NULL'],
    ['alter table cards drop column title;', 'drops what nodes'],
    ['drop table cards;', 'drops what nodes'],
    ['alter table cards rename column title to name;', 'renames what nodes'],
    ['alter table cards add constraint short check (title <> $$x$$);', 'NOT VALID'],
    [
      'create table a (id int);\ncreate unique index by_title\n  on cards (title);',
      'makes an index on cards',
    ],
  ])('reject a statement that blocks or breaks running nodes: %s', (sql, fault) => {
    expect(judge(sql).join()).toContain(fault);
  });

  it.each([
    'alter table cards add column severity text;',
    'alter table cards add constraint short check (title <> $$x$$) not valid;',
    'create table a (id int); create index a_by_id on a (id); alter table a add constraint a_one check (id = 1);',
    '-- allowed: a table of at most ten rows\ndrop table cards;',
    '-- what was said: alter table cards drop column title\nselect 1;',
  ])('accept a statement that is quick or has a stated reason: %s', (sql) => {
    expect(judge(sql)).toEqual([]);
  });

  it('ignore migrations that are already released', () => {
    expect(judgeMigration('0030_old.sql', 'drop table cards;')).toEqual([]);
  });
});
