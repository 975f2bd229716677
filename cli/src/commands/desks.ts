import type { Workstation } from '../../../client/src/index.js';
import type { Group } from '../command.js';
import { type Desk, findDesk, listDesks } from '../desks.js';
import { given } from '../options.js';
import { confirmDeletion } from '../prompt.js';

const namesOfReady = ({ environment }: Desk) =>
  environment?.coders
    .filter(({ ready }) => ready)
    .map(({ coder }) => coder)
    .join(', ');

/** A desk whose runtime is for one coder lacks all others, so that reason is not a fault. */
const faultsOf = ({ environment, runtime }: Desk) =>
  (environment?.coders ?? []).flatMap(({ coder, reason }) =>
    reason && reason !== `its runtime is ${runtime}` ? [`no ${coder}: ${reason}`] : [],
  );

const columns = [
  { title: 'name', of: (desk: Desk) => desk.name },
  { title: 'status', of: (desk: Desk) => (desk.dormant ? 'dormant' : desk.status) },
  { title: 'runtime', of: (desk: Desk) => desk.runtime },
  { title: 'coders', of: (desk: Desk) => namesOfReady(desk) || (desk.ready ? 'none' : undefined) },
  { title: 'held until', of: (desk: Desk) => desk.environment?.held_until },
  { title: 'step', of: (desk: Desk) => desk.onboarding_steps.find(({ done }) => !done)?.title },
  { title: 'id', of: (desk: Desk) => desk.workstation_id },
];

export const desks: Group = {
  name: 'desks',
  about: 'Manage desks, the machines that run builds (sign in with --email first)',
  commands: [
    {
      use: 'list',
      about: 'List the desks of the workspace.',
      examples: ['guildhall desks', 'guildhall desks list --json name,status'],
      run: async (call) =>
        call.out.list(
          await listDesks(call),
          columns,
          'No desks yet. Order one with: guildhall desks order "Build desk"',
        ),
    },
    {
      use: 'show <desk>',
      about: 'Show a desk and its setup steps, by name or id.',
      examples: ['guildhall desks show "Build desk"'],
      async run(call) {
        const desk = await findDesk(call, call.args[0]!);
        const steps = desk.onboarding_steps.map(
          ({ title, state, reason, hint }) => `${title}: ${[state, reason, hint].filter(Boolean).join('. ')}`,
        );
        call.out.record(
          desk,
          [
            ['name', desk.name],
            ['status', desk.status],
            ['runtime', desk.runtime],
            ['coders', [namesOfReady(desk), ...faultsOf(desk)].filter(Boolean).join('; ')],
            ['held until', desk.environment?.held_until],
            ['repository', desk.repository?.url],
            ['id', desk.workstation_id],
          ],
          steps.join('\n'),
        );
      },
    },
    {
      use: 'order <name>',
      about: 'Order a desk and print its one-time install command.',
      examples: ['guildhall desks order "Build desk" --runtime codex'],
      options: [
        ['--runtime <runtime>', 'The runtime: claude_code, codex or custom'],
        ['--description <text>', 'The description'],
      ],
      async run({ args, options, out, service, signal }) {
        const runtime = options.text('runtime') as Workstation['runtime'] | undefined;
        const fields = given({ name: args[0]!, runtime, description: options.text('description') });
        const desk = await service().people().orderWorkstation(fields, { signal });
        out.done(
          desk,
          `Ordered desk ${desk.name} (${desk.workstation_id}). Run this command on the machine:\n\n${desk.install_command}`,
        );
      },
    },
    {
      use: 'timeline <desk>',
      about: 'Show the event history of a desk, newest first.',
      examples: ['guildhall desks timeline "Build desk"'],
      async run(call) {
        const { workstation_id } = await findDesk(call, call.args[0]!);
        const { items } = await call
          .service()
          .people()
          .listDeskTimeline({ workstation_id }, { signal: call.signal });
        call.out.list(items, [
          { title: 'at', of: (item) => item.at },
          { title: 'event', of: (item) => item.kind },
          { title: 'from', of: (item) => item.from },
          { title: 'to', of: (item) => item.to },
          { title: 'reason', of: (item) => item.reason },
        ]);
      },
    },
    {
      use: 'lift-hold <desk>',
      about: 'Lift the hold on a desk that reached a provider limit, so that it gets builds again.',
      examples: ['guildhall desks lift-hold "Build desk"'],
      async run(call) {
        const { workstation_id, name } = await findDesk(call, call.args[0]!);
        await call.service().people().liftDeskHold({ machine_id: workstation_id }, { signal: call.signal });
        call.out.done({ workstation_id, held_until: null }, `Lifted the hold on ${name}.`);
      },
    },
    {
      use: 'retry-logins <desk>',
      about: 'Retry the rejected logins of a desk after you log in there, and assign waiting builds to it.',
      examples: ['guildhall desks retry-logins "Build desk"'],
      async run(call) {
        const { workstation_id, name } = await findDesk(call, call.args[0]!);
        await call
          .service()
          .people()
          .retryDeskLogins({ machine_id: workstation_id }, { signal: call.signal });
        call.out.done({ workstation_id }, `Retrying the logins of ${name}.`);
      },
    },
    {
      use: 'release <desk>',
      about: 'Release a desk and revoke its token.',
      examples: ['guildhall desks release "Build desk" --yes'],
      options: [['--yes', 'Skip the confirmation']],
      async run(call) {
        const { workstation_id, name } = await findDesk(call, call.args[0]!);
        await confirmDeletion(`Release desk ${name}? This cannot be undone.`, call.options.flag('yes'));
        const released = await call
          .service()
          .people()
          .releaseWorkstation({ workstation_id }, { signal: call.signal });
        call.out.done(released, `Released desk ${name}.`);
      },
    },
  ],
};
