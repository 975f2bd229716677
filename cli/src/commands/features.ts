import type { Features, SetFeatureArguments } from '../../../client/src/index.js';
import type { Command, Group } from '../command.js';

const rowsOf = ({ switches }: Features) => Object.entries(switches).map(([key, each]) => ({ key, ...each }));

const columns = [
  { title: 'feature', of: (row: ReturnType<typeof rowsOf>[number]) => row.key },
  { title: 'state', of: (row: ReturnType<typeof rowsOf>[number]) => (row.on ? 'on' : 'off') },
  {
    title: 'source',
    of: (row: ReturnType<typeof rowsOf>[number]) => (row.locked_by_plan ? 'locked by plan' : row.source),
  },
  { title: 'changed by', of: (row: ReturnType<typeof rowsOf>[number]) => row.changed_by?.name },
  { title: 'changed at', of: (row: ReturnType<typeof rowsOf>[number]) => row.changed_at },
];

const turn = (word: 'on' | 'off'): Command => ({
  use: `${word} <feature>`,
  about: word === 'on' ? 'Turn a feature on.' : 'Turn a feature off. Hides the feature and keeps its data.',
  examples: [`guildhall features ${word} crm`],
  async run({ args, out, service, signal }) {
    const key = args[0] as SetFeatureArguments['key'];
    const { client, brandId } = service();
    const features = await client.setFeature(
      { brand_id: await brandId(), key, on: word === 'on' },
      { signal },
    );
    out.done(rowsOf(features), `Turned ${key} ${word}.`);
  },
});

export const features: Group = {
  name: 'features',
  about: 'Turn workspace features on or off',
  commands: [
    {
      use: 'list',
      about: 'List the features of the workspace and their state.',
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
