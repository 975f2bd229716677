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
  { title: 'recommended for', of: (profile: CoderProfile) => profile.recommended_for },
];

export const profiles: Group = {
  name: 'profiles',
  about: 'Manage coder profiles',
  commands: [
    {
      use: 'list',
      about: 'List the coder profiles, with the changes of the workspace.',
      examples: ['guildhall profiles', 'guildhall profiles list --coder claude --json key,model'],
      options: [
        ['--coder <coder>', 'Only this coder: claude, codex, openhands, opencode or pi'],
        ['--type <type>', 'Only profiles recommended for: coding, docs, research, design or test'],
      ],
      async run({ options, out, service, signal }) {
        const fields = given({ coder: options.text('coder'), task_type: options.text('type') });
        out.list(await service().client.listCoderProfiles(fields, { signal }), columns);
      },
    },
    {
      use: 'show <profile>',
      about: 'Show a coder profile and the source of each setting.',
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
            ['recommended for', profile.recommended_for],
            ['version', profile.version],
          ],
          profile.reason,
        );
      },
    },
    {
      use: 'set <profile>',
      about: 'Change the settings of a coder profile for the workspace.',
      examples: ['guildhall profiles set claude.coding --effort medium --limit 40'],
      options: [
        ['--model <model>', 'The model'],
        ['--effort <effort>', 'The effort: low, medium or high'],
        ['--limit <n>', 'The limit, at most the platform default'],
      ],
      async run({ args, options, out, service, signal }) {
        const changes = given({
          model: options.text('model'),
          effort: options.text('effort'),
          limit_value: options.whole('limit'),
        });
        if (Object.keys(changes).length === 0)
          throw misuse('No changes given', 'Pass --model, --effort or --limit.');
        const profile = await service().client.overrideCoderProfile(
          { key: args[0]!, ...changes },
          { signal },
        );
        out.done(profile, `Updated ${Object.keys(changes).join(', ')} of ${profile.key}.`);
      },
    },
    {
      use: 'reset <profile> <setting>',
      about: 'Reset model, effort or limit_value to the platform default.',
      examples: ['guildhall profiles reset claude.coding effort'],
      async run({ args, out, service, signal }) {
        const [key = '', field = ''] = args;
        const profile = await service().client.resetCoderProfileField({ key, field }, { signal });
        out.done(profile, `Reset ${field} of ${key} to the default.`);
      },
    },
    {
      use: 'history <profile>',
      about: 'Show the change history of a coder profile, newest first.',
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
          'No changes yet.',
        );
      },
    },
  ],
};
