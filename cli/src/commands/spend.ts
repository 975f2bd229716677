import type { GetSpendArguments, SpendReport } from '../../../client/src/index.js';
import type { Command } from '../command.js';
import { given } from '../options.js';

type Row = SpendReport['rows'][number];

const usd = (amount: number): string => amount.toFixed(2);

export const spend: Command = {
  use: 'spend',
  about: 'Show the cost of builds, for this month or for the given days.',
  examples: [
    'guildhall spend',
    'guildhall spend --by project --from 2026-11-01 --to 2026-11-30',
    'guildhall spend --by card --json',
  ],
  options: [
    ['--by <what>', 'Group by day, project, agent, card, coder or profile'],
    ['--from <day>', 'The first day, such as 2026-11-01; default: the first of this month'],
    ['--to <day>', 'The last day'],
  ],
  async run({ options, out, service, signal }) {
    const fields = given({
      by: options.text('by') ?? 'day',
      from: options.text('from'),
      to: options.text('to'),
    });
    const { rows, total } = await service().client.getSpend(fields as GetSpendArguments, { signal });
    out.list(
      rows,
      [
        { title: fields.by, of: ({ name }: Row) => name },
        { title: 'builds', of: ({ builds }: Row) => builds },
        ...(total.without_usage
          ? [{ title: 'no usage', of: ({ without_usage }: Row) => without_usage ?? 0 }]
          : []),
        { title: 'tokens in', of: ({ tokens_in }: Row) => tokens_in },
        { title: 'tokens out', of: ({ tokens_out }: Row) => tokens_out },
        { title: 'usd', of: ({ cost_usd }: Row) => usd(cost_usd) },
      ],
      'No spend in this period.',
    );
    if (rows.length === 0) return;
    out.note(`${usd(total.cost_usd)} USD in total for ${total.builds} builds`);
    if (total.without_usage)
      out.note(`${total.without_usage} of them reported no usage, so their cost is unknown`);
  },
};
