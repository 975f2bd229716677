import { describe, expect, it } from 'vitest';
import { computingTime } from '../../../tests/support/event-loop.js';
import { createLogger } from './logger.js';

function listen(format: 'json' | 'pretty', level = 'trace') {
  const lines: string[] = [];
  const log = createLogger({ level, format }, { write: (line: string) => void lines.push(line) });
  return { log, lines };
}

describe('A secret', () => {
  const TOKEN = 'guild_pat_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9v_0123abcd';

  it.each(['json', 'pretty'] as const)(
    'is removed from every line, for any library and level (%s)',
    (format) => {
      const { log, lines } = listen(format);
      log.trace({ options: { headers: { authorization: `Bearer ${TOKEN}` } } }, 'Providing options');
      log.debug({
        headers: { cookie: 'a=b; guildhall_session=c2Vzc2lvbg-secret', 'x-admin-key': 'operator-secret' },
      });
      log.info({ url: 'postgres://guildhall:hidden-secret@db.example/guildhall' }, `Sent ${TOKEN}`);
      log.warn({
        password: 'a "quoted" secret',
        nested: { 'set-cookie': ['guildhall_session=list-secret'] },
      });
      log.error({ err: new Error(`refused Bearer opaque-secret and ${TOKEN}`) });
      log.fatal(new Error('smtp://user:mail-secret@relay.example refused'));
      expect(lines).toHaveLength(6);
      for (const line of lines) {
        expect(line).not.toMatch(/secret|Zm9vYmFy/);
        if (format === 'json') JSON.parse(line);
      }
    },
  );

  it('is removed from long lines within 2 seconds', () => {
    const { log, lines } = listen('json');
    const texts = ['guild_a_', '://a:', '"password":"', 'Bearer ', '://', 'guild_', ':"\\'];
    const milliseconds = computingTime(() => {
      for (const text of texts) log.info({ text: text.repeat(100_000) }, text);
    });
    expect(milliseconds).toBeLessThan(2_000);
    expect(lines).toHaveLength(7);
  });
});

describe('A logged error', () => {
  it('has its type and origin, and no stack or database message', () => {
    const { log, lines } = listen('json');
    const fault = Object.assign(new Error('insert into users values (...)'), {
      code: '23505',
      severity: 'ERROR',
    });
    log.error({ err: fault }, 'request failed');
    const { err } = JSON.parse(lines[0]!);
    expect(err).toMatchObject({ code: '23505', at: expect.stringContaining('logger.test.ts') });
    expect(lines[0]).not.toMatch(/insert into|stack|node_modules/);
  });
});

describe('Log on a terminal', () => {
  it('formats an event as one line with time, level, message and fields', () => {
    const { log, lines } = listen('pretty');
    log.info({ reqId: 'abc', method: 'GET', route: '/api/v1/me', status: 200, milliseconds: 1.5 }, 'request');
    log.warn({ reason: 'two words' }, 'Redis cannot be reached');
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}request {2}reqId=abc method=GET route=\/api\/v1\/me status=200 milliseconds=1\.5\n$/,
    );
    expect(lines[1]).toMatch(/ WARN {2}Redis cannot be reached {2}reason="two words"\n$/);
  });

  it('escapes characters that move the cursor or start a new line', () => {
    const { log, lines } = listen('pretty');
    log.info({ name: 'a\u001b[2Jb\nc\u009b' }, 'words\u001b[31m\nmore\r\u2028');
    expect(lines[0]!.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  });
});
