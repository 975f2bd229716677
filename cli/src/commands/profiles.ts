import type { CoderProfile } from '../../../client/src/index.js';
import type { Group } from '../command.js';
import { misuse } from '../failure.js';
import { collect } from '../find.js';
import { given } from '../options.js';

const limitOf = ({ limits }: CoderProfile) =>
  [
    limits.max_turns !== null && `${limits.max_turns} turns`,
    limits.max_steps !== null && `${limits.max_steps} steps`,
    limits.wall_minutes !== null && `${limits.wall_minutes} minutes`,
  ].filter(Boolean);

const columns = [
  { title: 'profile', of: (profile: CoderProfile) => profile.key },
  { title: 'model', of: (profile: CoderProfile) => profile.model },
  { title: 'effort', of: (profile: CoderProfile) => profile.effort },
  { title: 'limit', of: limitOf },
  { title: 'for', of: (profile: CoderProfile) => profile.recommended_for },
];

export const profiles: Group = {
  name: 'profiles',
  about: 'Coder profiles',
  commands: [
    {
      use: 'list',
      about: 'List coder profiles, with what the workspace changed.',
      examples: ['guildhall profiles', 'guildhall profiles list --coder claude --json key,model'],
      options: [
        ['--coder <coder>', 'claude, codex, openhands, opencode or pi'],
        ['--type <type>', 'Recommended for: coding, docs, research, design or test'],
      ],
      async run({ options, out, service, signal }) {
        const fields = given({ coder: options.text('coder'), task_type: options.text('type') });
        out.list(await service().client.listCoderProfiles(fields, { signal }), columns);
      },
    },
    {
      use: 'show <profile>',
      about: 'Show a coder profile, and where its settings come from.',
      examples: ['guildhall profiles show claude.coding'],
      async run({ args, out, service, signal }) {
        const profile = await service().client.getCoderProfile({ key: args[0]! }, { signal });
        const { model, effort, limit_value } = profile.sources;
        out.record(
          profile,
          [
            ['profile', profile.key],
            ['coder', profile.coder],
            ['model', profile.model && `${profile.model} (${model})`],
            ['effort', profile.effort && `${profile.effort} (${effort})`],
            ['limit', limitOf(profile).length > 0 && `${limitOf(profile).join(', ')} (${limit_value})`],
            ['for', profile.recommended_for],
            ['version', profile.version],
          ],
          profile.reason,
        );
      },
    },
    {
      use: 'set <profile>',
      about: 'Change settings of a coder profile for the workspace.',
      examples: ['guildhall profiles set claude.coding --effort medium --limit 40'],
      options: [
        ['--model <model>', 'The model'],
        ['--effort <effort>', 'low, medium or high'],
        ['--limit <n>', 'Up to the default of the platform'],
      ],
      async run({ args, options, out, service, signal }) {
        const changes = given({
          model: options.text('model'),
          effort: options.text('effort'),
          limit_value: options.whole('limit'),
        });
        if (Object.keys(changes).length === 0)
          throw misuse('Nothing to change', 'Say --model, --effort or --limit.');
        const profile = await service().client.overrideCoderProfile(
          { key: args[0]!, ...changes },
          { signal },
        );
        out.done(profile, `Changed ${Object.keys(changes).join(', ')} of ${profile.key}.`);
      },
    },
    {
      use: 'reset <profile> <setting>',
      about: 'Set model, effort or limit_value back to the default of the platform.',
      examples: ['guildhall profiles reset claude.coding effort'],
      async run({ args, out, service, signal }) {
        const [key = '', field = ''] = args;
        const profile = await service().client.resetCoderProfileField({ key, field }, { signal });
        out.done(profile, `${field} of ${key} is the default again.`);
      },
    },
    {
      use: 'history <profile>',
      about: 'Show what was changed about a coder profile, newest first.',
      examples: ['guildhall profiles history claude.coding'],
      async run({ args, out, service, signal }) {
        const changes = service().client.iterate('listCoderProfileHistory', { key: args[0]! }, { signal });
        out.list(
          await collect(changes),
          [
            { title: 'at', of: (change) => change.created_at },
            { title: 'field', of: (change) => change.field },
            { title: 'from', of: (change) => change.old_value },
            { title: 'to', of: (change) => change.new_value },
            { title: 'by', of: (change) => change.actor_user_id },
          ],
          'Nothing was changed.',
        );
      },
    },
  ],
};
