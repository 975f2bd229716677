import { describe, expect, it } from 'vitest';
import { crossSection, itDeeply } from '../../../../tests/support/deep.js';
import { MOST_ROWS, readExport } from './read-export.js';
import { type ImportRecord, LOSSES, type ReadRow, type Source, tidyRecord } from './record.js';
import { createOrigins, createRowLinks } from './row-links.js';
import { readCsvRows } from './table.js';
import { readTime } from './values.js';

const read = (source: Source, text: string | Buffer): ReadRow[] => [...readExport(source, Buffer.from(text))];
const records = (source: Source, text: string | Buffer): ImportRecord[] =>
  read(source, text).map((row) => {
    if (!('record' in row)) throw new Error(`row ${row.row}: ${row.reason}`);
    return row.record;
  });

describe('CSV table', () => {
  it('matches columns by name, regardless of case and order', () => {
    const [card] = records(
      'csv',
      'STATUS,Title,Instructions,assignee,Labels,priority,Due,Parent,URL,ID\r\n' +
        'Doing,Pay the bill,"Twice, please",Ada <ada@acme.example>,"money; home",High,2026-03-04,A-1,https://x.example/2,A-2\r\n',
    );
    expect(card).toMatchObject({
      state: 'Doing',
      title: 'Pay the bill',
      body: 'Twice, please',
      assignee: { name: 'Ada', email: 'ada@acme.example' },
      labels: ['money', 'home'],
      priority: 'high',
      dueAt: '2026-03-04T00:00:00.000Z',
      parent: 'A-1',
      url: 'https://x.example/2',
      keys: ['A-2', 'https://x.example/2'],
    });
  });

  it.each([
    ['semicolons', 'title;description\nOne;a,b\n'],
    ['tabs', 'title\tdescription\nOne\ta,b\n'],
    ['a byte order mark', '\uFEFFtitle,description\nOne,"a,b"\n'],
    ['escaped quotes', 'title,description\n"One","a,b"\n'],
    ['no final line break', 'title,description\nOne,"a,b"'],
    ['carriage returns as line breaks', 'title,description\rOne,"a,b"\r'],
  ])('accepts a table with %s', (_what, text) => {
    expect(records('csv', text)).toMatchObject([{ title: 'One', body: 'a,b' }]);
  });

  it('decodes UTF-16 and Windows-1252', () => {
    const text = 'title,description\nGrüße,ä\n';
    expect(records('csv', Buffer.from(`\uFEFF${text}`, 'utf16le'))[0]).toMatchObject({ title: 'Grüße' });
    expect(records('csv', Buffer.from(text, 'latin1'))[0]).toMatchObject({ title: 'Grüße', body: 'ä' });
  });

  it('lists unknown columns that have a value as lost', () => {
    const [one, two] = records(
      'csv',
      'title,Mood,Risk,Updated,assignee\nOne,good,0,today,Ada; Bo\nTwo,,no,,\n',
    );
    expect(one).toMatchObject({ lost: ['Column Mood'], assignee: { name: 'Ada' }, others: [{ name: 'Bo' }] });
    expect(two).toMatchObject({ lost: [], others: [] });
  });

  it('keeps line breaks and quotation marks inside a cell', () => {
    expect(records('csv', 'title,description\nOne,"a\n""b""\n\nc"\nTwo,\n')).toMatchObject([
      { title: 'One', body: 'a\n"b"\n\nc' },
      { title: 'Two', body: '' },
    ]);
  });

  it('reports an unreadable row and continues with the next', () => {
    expect(read('csv', 'title,status\nOne,open\n,open\nTwo,open,what,is this\nThree,done\n')).toMatchObject([
      { row: 2, record: { title: 'One' } },
      { row: 3, reason: 'It has no title' },
      { row: 4, reason: 'It has 4 cells, the first line has 2' },
      { row: 5, record: { title: 'Three' } },
    ]);
  });

  it('continues after a quotation mark that is never closed', () => {
    expect(read('csv', 'title,status\nOne,open\n"Two,open\nThree,done\n')).toMatchObject([
      { row: 2, record: { title: 'One' } },
      { row: 3, reason: 'A quotation mark is never closed' },
      { row: 4, record: { title: 'Three' } },
    ]);
  });

  it('throws for a table without a title column, without rows or with too many rows', () => {
    expect(() => read('csv', 'status,labels\nopen,a\n')).toThrow('names no column for the title');
    expect(() => read('csv', '')).toThrow('empty');
    expect(() => read('csv', 'title\n')).toThrow('no rows');
    const bound = `title\n${'a\n'.repeat(MOST_ROWS)}`;
    const rows = readExport('csv', Buffer.from(`${bound}a\n`));
    let count = 0;
    while (count < MOST_ROWS && !rows.next().done) count += 1;
    expect(count).toBe(MOST_ROWS);
    expect(() => rows.next()).toThrow('more than 100,000 rows');
  });

  it('adds values that a field cannot hold to the card text', () => {
    expect(records('csv', 'title,due\nOne,someday\nTwo,03/04/2026\n')).toMatchObject([
      { dueAt: null, notes: ['Due: someday'] },
      { dueAt: null, notes: ['Due: 03/04/2026'] },
    ]);
  });

  // An algorithm with quadratic time would exceed the timeout on these inputs.
  it.each(
    crossSection(
      [
        ['only quotation marks', '"'.repeat(4_000_000)],
        ['quotation marks that are never closed', `title\n${'"a""""\n'.repeat(500_000)}`],
        ['one line of cells', 'title,'.repeat(800_000)],
        ['empty lines', `title\n${'\n'.repeat(4_000_000)}a`],
      ],
      2,
    ),
  )('reads a table with %s within the timeout', { timeout: 120_000 }, (_what, text) => {
    expect([...readCsvRows(text)].length).toBeLessThanOrEqual(500_001);
  });
});

describe('Record texts', () => {
  it('are cleaned of characters that PostgreSQL cannot store', () => {
    const [card] = records('github', JSON.stringify([{ title: 'a\u0000b\ud800', body: 'c\r\nd\u0000' }]));
    expect(card).toMatchObject({ title: 'ab\uFFFD', body: 'c\nd' });
  });

  it('start with the full title when the title is too long', () => {
    const long = 'long '.repeat(200).trim();
    const card = tidyRecord({ title: long, body: 'more' }) as ImportRecord;
    expect(card.title).toHaveLength(500);
    expect(card.body).toBe(`${long}\n\nmore`);
  });

  it('keep at most 1,000 comments or 1 MB and note how many were dropped', () => {
    const comments = Array.from({ length: 1200 }, () => ({ author: null, at: null, body: 'said' }));
    const card = tidyRecord({ title: 'a', comments }) as ImportRecord;
    expect(card.comments).toHaveLength(1000);
    expect(card).toMatchObject({
      notes: ['200 more comments were left behind'],
      lost: ['Comments beyond 1,000 or 1 MB a card'],
    });
    const long = Array.from({ length: 30 }, () => ({ author: null, at: null, body: 'x'.repeat(60_000) }));
    expect((tidyRecord({ title: 'a', comments: long }) as ImportRecord).comments).toHaveLength(16);
  });

  it('are cut to 1 MB', () => {
    const card = tidyRecord({ title: 'a', body: '€'.repeat(500_000) }) as ImportRecord;
    expect(Buffer.byteLength(card.body)).toBeLessThanOrEqual(1_000_000);
    expect(card.body.endsWith('€')).toBe(true);
    expect(card.lost).toEqual([LOSSES.longText]);
  });
});

describe('GitHub export', () => {
  const rest = {
    number: 7,
    title: 'Crash on start',
    body: 'It crashes.',
    state: 'open',
    labels: [{ name: 'bug' }, { name: 'p1' }],
    user: { login: 'octocat' },
    assignees: [{ login: 'hubot' }, { login: 'monalisa' }],
    type: { name: 'Bug' },
    milestone: { title: 'v1', due_on: '2026-05-01T07:00:00Z' },
    html_url: 'https://github.com/acme/app/issues/7',
    created_at: '2025-01-02T03:04:05Z',
    closed_at: null,
    comments: 1,
    parent_issue_url: 'https://api.github.com/repos/acme/app/issues/3',
  };

  it('reads issues in the format of the REST API', () => {
    expect(records('github', JSON.stringify([rest]))).toMatchObject([
      {
        title: 'Crash on start',
        body: 'It crashes.',
        state: 'open',
        labels: ['bug', 'p1', 'milestone: v1', 'type: Bug'],
        reporter: { name: 'octocat', login: 'octocat', email: null },
        assignee: { name: 'hubot' },
        others: [{ name: 'monalisa', login: 'monalisa' }],
        url: 'https://github.com/acme/app/issues/7',
        keys: ['https://github.com/acme/app/issues/7', '7'],
        parent: '3',
        createdAt: '2025-01-02T03:04:05.000Z',
        dueAt: '2026-05-01T07:00:00.000Z',
        comments: [],
        lost: ['Comments: the file has only their number'],
      },
    ]);
  });

  it('reads issues with comments in the format of the gh command line', () => {
    const issue = {
      number: 8,
      title: 'No',
      state: 'CLOSED',
      stateReason: 'NOT_PLANNED',
      url: 'https://github.com/acme/app/issues/8',
      author: { login: 'octocat', name: 'Octo Cat' },
      comments: [{ author: { login: 'hubot' }, body: 'Indeed', createdAt: '2025-01-02T03:04:05Z' }],
      createdAt: '2025-01-01T00:00:00Z',
      closedAt: '2025-01-03T00:00:00Z',
    };
    expect(records('github', JSON.stringify([issue]))).toMatchObject([
      {
        state: 'not planned',
        reporter: { name: 'Octo Cat' },
        completedAt: '2025-01-03T00:00:00.000Z',
        comments: [{ author: { name: 'hubot' }, at: '2025-01-02T03:04:05.000Z', body: 'Indeed' }],
        lost: [],
      },
    ]);
  });

  it('reads one issue per line and reports a broken line', () => {
    expect(
      read('github', `${JSON.stringify(rest)}\n{"title":\n${JSON.stringify({ title: 'b' })}\n`),
    ).toMatchObject([
      { row: 1, record: { title: 'Crash on start' } },
      { row: 2, reason: expect.stringContaining('not valid JSON') },
      { row: 3, record: { title: 'b' } },
    ]);
  });

  it('skips pull requests and values that are not issues', () => {
    expect(
      read('github', JSON.stringify([{ ...rest, pull_request: { url: 'x' } }, 5, null, {}])),
    ).toMatchObject([
      { reason: 'It is a pull request' },
      { reason: 'It has no title' },
      { reason: 'It has no title' },
      { reason: 'It has no title' },
    ]);
  });

  it('throws for a file that is not JSON', () => {
    expect(() => read('github', 'title\nOne\n')).toThrow('neither JSON');
    expect(() => read('github', '[{"title": "a"}, {]')).toThrow('not valid JSON');
  });
});

describe('GitLab export', () => {
  it('reads issues in the format of the REST API', () => {
    const issue = {
      iid: 4,
      title: 'Slow page',
      description: 'So slow',
      state: 'opened',
      labels: ['perf'],
      author: { name: 'Ada', username: 'ada' },
      assignees: [
        { name: 'Bo', username: 'bo' },
        { name: 'Cy', username: 'cy' },
      ],
      milestone: { title: 'v2' },
      epic: { title: 'Speed' },
      confidential: true,
      web_url: 'https://gitlab.example/acme/app/-/issues/4',
      created_at: '2025-02-03T04:05:06.789Z',
      due_date: '2026-01-31',
      weight: 3,
      task_completion_status: { count: 4, completed_count: 1 },
      notes: [
        { system: true, body: 'changed the label' },
        { author: { name: 'Bo' }, body: 'Yes', created_at: '2025-02-04T00:00:00Z' },
      ],
    };
    expect(records('gitlab', JSON.stringify([issue]))).toMatchObject([
      {
        title: 'Slow page',
        state: 'opened',
        labels: ['perf', 'milestone: v2', 'epic: Speed'],
        assignee: { name: 'Bo', login: 'bo' },
        others: [{ name: 'Cy' }],
        lost: [LOSSES.confidential],
        estimate: 3,
        dueAt: '2026-01-31T00:00:00.000Z',
        checklist: { done: 1, total: 4 },
        comments: [{ author: { name: 'Bo' }, body: 'Yes' }],
      },
    ]);
  });

  it('reads the CSV table that GitLab sends by email', () => {
    expect(
      records(
        'gitlab',
        'Title,Description,Issue ID,URL,State,Author,Author Username,Assignee,Assignee Username,Confidential,Locked,Due Date,Created At (UTC),Updated At (UTC),Closed At (UTC),Milestone,Weight,Labels,Time Estimate,Time Spent\n' +
          'Slow page,So slow,4,https://gitlab.example/acme/app/-/issues/4,Closed,Ada,ada,Bo,bo,No,No,2026-01-31,2025-02-03 04:05:06,2025-02-03 04:05:06,2025-03-01 00:00:00,v1,3,"perf,web",0,0\n',
      ),
    ).toMatchObject([
      {
        url: 'https://gitlab.example/acme/app/-/issues/4',
        state: 'Closed',
        labels: ['perf', 'web', 'milestone: v1'],
        assignee: { name: 'Bo', login: 'bo' },
        lost: [],
        createdAt: '2025-02-03T04:05:06.000Z',
        completedAt: '2025-03-01T00:00:00.000Z',
        estimate: 3,
      },
    ]);
  });
});

describe('Linear export', () => {
  it('reads the exported CSV table', () => {
    expect(
      records(
        'linear',
        '"ID","Team","Title","Description","Status","Estimate","Priority","Project ID","Project","Creator","Assignee","Labels","Cycle Number","Created","Updated","Started","Completed","Canceled","Archived","Due Date","Parent issue","UUID","Blocked by","SLA breaches"\n' +
          '"ENG-2","Engineering","Sign in","With a passkey","In Progress","5","Urgent","","","ada@acme.example","bo@acme.example","Feature, Web","3","Tue Mar 12 2024 09:15:00 GMT+0000 (GMT)","","","","","","2026-02-01","ENG-1","5f0c","ENG-3, ENG-4","two"\n' +
          '"ENG-3","Engineering","Sign out","","Done","","No priority","","","ada@acme.example","","","","2024-03-12T09:15:00.000Z","","","2024-04-01T00:00:00.000Z","","2024-05-01T00:00:00.000Z","","","","",""\n' +
          '"ENG-4","Engineering","Sign up","","Parked","","Medium","","Launch","","","","","","","","","2024-04-01T00:00:00.000Z","","","","","",""\n',
      ),
    ).toMatchObject([
      {
        keys: ['ENG-2', '5f0c'],
        parent: 'ENG-1',
        title: 'Sign in',
        state: 'In Progress',
        estimate: 5,
        priority: 'urgent',
        reporter: { email: 'ada@acme.example' },
        assignee: { email: 'bo@acme.example' },
        labels: ['Feature', 'Web', 'cycle: 3'],
        blockedBy: ['ENG-3', 'ENG-4'],
        lost: ['Column SLA breaches'],
        createdAt: '2024-03-12T09:15:00.000Z',
        dueAt: '2026-02-01T00:00:00.000Z',
        archived: false,
      },
      { keys: ['ENG-3'], priority: null, archived: true, completedAt: '2024-04-01T00:00:00.000Z', lost: [] },
      { keys: ['ENG-4'], priority: 'normal', state: 'Canceled', labels: ['project: Launch'] },
    ]);
  });
});

describe('Jira export', () => {
  it('reads the exported CSV table with repeated column names', () => {
    const [card] = records(
      'jira',
      'Summary,Issue key,Issue id,Parent id,Issue Type,Status,Priority,Assignee,Reporter,Created,Resolved,Due date,Labels,Labels,Description,Comment,Comment,Custom field (Story Points),Sprint,Sprint,Component/s,Fix Version/s,Inward issue link (Blocks),Inward issue link (Blocks),Outward issue link (Relates),Attachment,Watchers,Updated,Custom field (Team),Votes\n' +
        'Checkout fails,SHOP-9,10009,10001,Bug,To Do,Highest,bo@acme.example,Ada,12/Mar/24 9:15 AM,,01/Apr/26,pay,urgent,"It *fails*; often","13/Mar/24 10:00 PM;Ada Lindqvist;Seen; {{twice}}",,8.0,Sprint 3,Sprint 4,Cart,1.2,SHOP-1,SHOP-2,SHOP-5,"12/Mar/24 9:16 AM;ada;shot.png;https://x.example/shot.png",cy@acme.example,today,Blue,0\n',
    );
    expect(card).toMatchObject({
      keys: ['SHOP-9', '10009'],
      parent: '10001',
      title: 'Checkout fails',
      body: 'It **fails**; often\n\n### Attachments\n\n- [shot.png](https://x.example/shot.png)',
      state: 'To Do',
      priority: 'urgent',
      blockedBy: ['SHOP-1', 'SHOP-2'],
      notes: ['relates: SHOP-5'],
      watchers: [{ email: 'cy@acme.example' }],
      lost: [LOSSES.attachments, 'Column Custom field (Team)'],
      assignee: { email: 'bo@acme.example' },
      reporter: { name: 'Ada', email: null },
      labels: [
        ...['pay', 'urgent', 'type: Bug', 'component: Cart', 'version: 1.2'],
        ...['sprint: Sprint 3', 'sprint: Sprint 4'],
      ],
      createdAt: '2024-03-12T09:15:00.000Z',
      dueAt: '2026-04-01T00:00:00.000Z',
      estimate: 8,
      comments: [
        { author: { name: 'Ada Lindqvist' }, at: '2024-03-13T22:00:00.000Z', body: 'Seen; `twice`' },
      ],
    });
  });

  it('reads a search response with document descriptions', () => {
    const issue = {
      id: '10009',
      key: 'SHOP-9',
      self: 'https://acme.atlassian.net/rest/api/3/issue/10009',
      fields: {
        summary: 'Checkout fails',
        description: {
          type: 'doc',
          content: [
            { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text: 'Steps' }] },
            {
              type: 'bulletList',
              content: [
                {
                  type: 'listItem',
                  content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Pay' }] }],
                },
              ],
            },
          ],
        },
        status: { name: 'In Progress' },
        issuetype: { name: 'Story' },
        components: [{ name: 'Cart' }],
        fixVersions: [{ name: '1.2' }],
        issuelinks: [
          { type: { name: 'Blocks', inward: 'is blocked by' }, inwardIssue: { key: 'SHOP-2' } },
          { type: { name: 'Relates', outward: 'relates to' }, outwardIssue: { key: 'SHOP-5' } },
        ],
        attachment: [{ filename: 'shot.png', content: 'https://x.example/shot.png' }],
        customfield_10020: [{ id: 3, name: 'Sprint 3', boardId: 1, state: 'active' }],
        customfield_10019: '0|i0001:',
        customfield_10050: { value: 'Blue' },
        customfield_10060: 5,
        labels: ['pay'],
        assignee: { displayName: 'Bo', emailAddress: 'Bo@Acme.example' },
        priority: { name: 'High' },
        created: '2024-03-12T09:15:00.000+0200',
        parent: { key: 'SHOP-1' },
        comment: {
          comments: [
            { author: { displayName: 'Ada' }, body: 'Yes', created: '2024-03-13T00:00:00.000+0000' },
          ],
        },
      },
    };
    const names = { customfield_10050: 'Team', customfield_10060: 'Story Points' };
    expect(records('jira', JSON.stringify({ names, issues: [issue], total: 1 }))).toMatchObject([
      {
        url: 'https://acme.atlassian.net/browse/SHOP-9',
        body: '## Steps\n\n- Pay\n\n### Attachments\n\n- [shot.png](https://x.example/shot.png)',
        labels: ['pay', 'type: Story', 'component: Cart', 'version: 1.2', 'sprint: Sprint 3'],
        blockedBy: ['SHOP-2'],
        notes: ['relates to: SHOP-5'],
        estimate: 5,
        lost: ['Field Team', LOSSES.attachments],
        state: 'In Progress',
        assignee: { name: 'Bo', email: 'bo@acme.example' },
        parent: 'SHOP-1',
        createdAt: '2024-03-12T07:15:00.000Z',
        comments: [{ author: { name: 'Ada' }, body: 'Yes' }],
      },
    ]);
  });
});

it('marks a Jira issue as canceled when its resolution says that it was not done', () => {
  const table = "Summary,Status,Resolution\nOne,Done,Won't Do\nTwo,Done,Done\n";
  expect(records('jira', table).map(({ state }) => state)).toEqual(['Canceled', 'Done']);
});

describe('Trello export', () => {
  it('reads a board with its lists, checklists, members and comments', () => {
    const board = {
      name: 'Home',
      lists: [
        { id: 'l1', name: 'Doing', closed: false },
        { id: 'l2', name: 'Old', closed: true },
      ],
      members: [{ id: 'm1', fullName: 'Ada', username: 'ada' }],
      labels: [{ id: 'b1', name: '', color: 'red' }],
      checklists: [
        {
          idCard: '5f0c1b2a0000000000000001',
          name: 'Shop',
          checkItems: [
            { name: 'Milk', state: 'complete' },
            { name: 'Bread', state: 'incomplete' },
          ],
        },
      ],
      actions: [
        { type: 'updateCard', data: { card: { id: '5f0c1b2a0000000000000001' } } },
        {
          type: 'commentCard',
          date: '2024-01-02T00:00:00.000Z',
          memberCreator: { fullName: 'Ada' },
          data: { text: 'Later', card: { id: '5f0c1b2a0000000000000001' } },
        },
        {
          type: 'commentCard',
          date: '2024-01-01T00:00:00.000Z',
          memberCreator: { fullName: 'Ada' },
          data: { text: 'Sooner', card: { id: '5f0c1b2a0000000000000001' } },
        },
      ],
      cards: [
        {
          id: '5f0c1b2a0000000000000001',
          name: 'Breakfast',
          desc: 'Early',
          idList: 'l1',
          idLabels: ['b1'],
          idMembers: ['m1', 'm9'],
          due: '2026-01-01T08:00:00.000Z',
          shortUrl: 'https://trello.com/c/abc',
          closed: false,
          attachments: [{ name: 'menu.pdf', url: 'https://x.example/menu.pdf' }],
          customFieldItems: [{ id: 'f1' }],
          badges: { comments: 5 },
        },
        { id: '5f0c1b2a0000000000000002', name: 'Gone', idList: 'l2', closed: false },
      ],
    };
    expect(records('trello', JSON.stringify(board))).toMatchObject([
      {
        title: 'Breakfast',
        state: 'Doing',
        body: 'Early\n\n### Shop\n\n- [x] Milk\n- [ ] Bread\n\n### Attachments\n\n- [menu.pdf](https://x.example/menu.pdf)',
        labels: ['red'],
        assignee: { name: 'Ada', login: 'ada' },
        lost: [...[LOSSES.attachments, LOSSES.olderComments], ...[LOSSES.formerMembers, LOSSES.customFields]],
        url: 'https://trello.com/c/abc',
        checklist: { done: 1, total: 2 },
        comments: [{ body: 'Sooner' }, { body: 'Later' }],
        createdAt: '2020-07-13T08:28:26.000Z',
        archived: false,
      },
      { title: 'Gone', archived: true },
    ]);
  });

  it('throws for a file that is not a board', () => {
    expect(() => read('trello', '{}')).toThrow('no cards');
    expect(() => read('trello', '{')).toThrow('not valid JSON');
  });
});

describe('Row identity and links', () => {
  const record = (fields: Partial<ImportRecord>) => tidyRecord({ title: 'a', ...fields }) as ImportRecord;

  it('uses the address of a row, else its key, else its content', () => {
    const origins = createOrigins('csv');
    expect(origins.of(1, record({ url: 'https://x.example/1' }))).toEqual({
      origin: 'https://x.example/1',
      sameAs: undefined,
    });
    const keyed = origins.of(2, record({ keys: ['A-1'] }));
    expect(createOrigins('csv').of(9, record({ keys: ['A-1'], title: 'renamed' })).origin).toBe(keyed.origin);
    expect(origins.of(3, record({ keys: ['A-1'] }))).toEqual({ origin: keyed.origin, sameAs: 2 });
  });

  it('gives two rows with the same content different, repeatable origins', () => {
    const both = () => {
      const origins = createOrigins('csv');
      return [origins.of(1, record({})).origin, origins.of(2, record({})).origin];
    };
    expect(new Set(both()).size).toBe(2);
    expect(both()).toEqual(both());
  });

  it('links rows to their parents and drops links that form a cycle', () => {
    const rowLinks = createRowLinks();
    rowLinks.add(1, record({ keys: ['c'], parent: 'b' }));
    rowLinks.add(2, record({ keys: ['b'], parent: 'a' }));
    rowLinks.add(3, record({ keys: ['a'] }));
    rowLinks.add(4, record({ keys: ['x'], parent: 'y' }));
    rowLinks.add(5, record({ keys: ['y'], parent: 'x' }));
    rowLinks.add(6, record({ keys: ['z'], parent: 'z' }));
    rowLinks.add(7, record({ keys: ['w'], parent: 'nowhere' }));
    expect(rowLinks.list()).toEqual([
      { row: 1, parent: 2, blockers: [], depth: 2, missing: [] },
      { row: 2, parent: 3, blockers: [], depth: 1, missing: [] },
      { row: 4, parent: 5, blockers: [], depth: 1, missing: [] },
      { row: 5, parent: null, blockers: [], depth: 0, missing: ['x'] },
      { row: 6, parent: null, blockers: [], depth: 0, missing: ['z'] },
      { row: 7, parent: null, blockers: [], depth: 0, missing: ['nowhere'] },
    ]);
  });

  it('links blockers, including blockers of a parent', () => {
    const rowLinks = createRowLinks();
    rowLinks.add(1, record({ keys: ['a'], parent: 'b', blockedBy: ['c', 'd'] }));
    rowLinks.add(2, record({ keys: ['b'], blockedBy: ['c'] }));
    rowLinks.add(3, record({ keys: ['c'], blockedBy: ['a'] }));
    expect(rowLinks.list()).toEqual([
      { row: 1, parent: 2, blockers: [3], depth: 2, missing: ['d'] },
      { row: 2, parent: null, blockers: [3], depth: 1, missing: [] },
      { row: 3, parent: null, blockers: [], depth: 0, missing: ['a'] },
    ]);
  });

  itDeeply('follows a chain of 100,000 parents', () => {
    const rowLinks = createRowLinks();
    for (let row = 1; row <= 100_000; row += 1)
      rowLinks.add(row, record({ keys: [String(row)], parent: row === 1 ? null : String(row - 1) }));
    expect(rowLinks.list().at(-1)).toMatchObject({ row: 100_000, parent: 99_999, depth: 99_999 });
  });
});

describe('readTime', () => {
  it.each([
    ['2026-03-04', '2026-03-04T00:00:00.000Z'],
    ['2026-03-04T05:06:07.123+02:00', '2026-03-04T03:06:07.000Z'],
    ['12/Mar/24 9:15 PM', '2024-03-12T21:15:00.000Z'],
    ['12/Mar/24 12:15 AM', '2024-03-12T00:15:00.000Z'],
    ['March 12, 2024', '2024-03-12T00:00:00.000Z'],
    ['31.12.2025', '2025-12-31T00:00:00.000Z'],
    ['12/31/2025', '2025-12-31T00:00:00.000Z'],
    ['31/12/2025 23:59', '2025-12-31T23:59:00.000Z'],
  ])('parses %s', (text, time) => {
    expect(readTime(text)).toBe(time);
  });

  it.each(['', 'soon', '2026-02-30', '2026-13-01', '04/05/2026', '99999-01-01', '0000-01-01', '9:15'])(
    'returns undefined for the invalid or ambiguous time %j',
    (text) => {
      expect(readTime(text)).toBeUndefined();
    },
  );
});
