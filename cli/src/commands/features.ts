import type { Features, SetFeatureArguments } from '../../../client/src/index.js';
import type { Command, Group } from '../command.js';

const rowsOf = ({ switches }: Features) => Object.entries(switches).map(([key, each]) => ({ key, ...each }));

const columns = [
  { title: 'feature', of: (row: ReturnType<typeof rowsOf>[number]) => row.key },
  { title: 'on', of: (row: ReturnType<typeof rowsOf>[number]) => (row.on ? 'on' : 'off') },
  {
    title: 'why',
    of: (row: ReturnType<typeof rowsOf>[number]) => (row.locked_by_plan ? 'locked by plan' : row.source),
  },
  { title: 'by', of: (row: ReturnType<typeof rowsOf>[number]) => row.changed_by?.name },
  { title: 'since', of: (row: ReturnType<typeof rowsOf>[number]) => row.changed_at },
];

const turn = (word: 'on' | 'off'): Command => ({
  use: `${word} <feature>`,
  about: word === 'on' ? 'Turn a feature on.' : 'Turn a feature off; it is hidden, and nothing is deleted.',
  examples: [`guildhall features ${word} crm`],
  async run({ args, out, service, signal }) {
    const key = args[0] as SetFeatureArguments['key'];
    const { client, brandId } = service();
    const features = await client.setFeature(
      { brand_id: await brandId(), key, on: word === 'on' },
      { signal },
    );
    out.done(rowsOf(features), `${key} is ${word} now.`);
  },
});

export const features: Group = {
  name: 'features',
  about: 'Feature switches of the workspace',
  commands: [
    {
      use: 'list',
      about: 'List the feature switches, and why each is on or off.',
      examples: ['guildhall features', 'guildhall features list --json key,on'],
      async run({ out, service, signal }) {
        const { client, brandId } = service();
        out.list(
          rowsOf((await client.getFeatures({ brand_id: await brandId() }, { signal })) as Features),
          columns,
        );
      },
    },
    turn('on'),
    turn('off'),
  ],
};
