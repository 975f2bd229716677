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
  about: 'Desks: machines that build. They are open to people: guildhall login --email',
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
      about: 'Show a desk, by name or id, and what is left to do until it is ready.',
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
      about: 'Order a desk. The command that sets it up is shown this once: run it on the machine.',
      examples: ['guildhall desks order "Build desk" --runtime codex'],
      options: [
        ['--runtime <runtime>', 'claude_code, codex or custom'],
        ['--description <text>', 'The description'],
      ],
      async run({ args, options, out, service, signal }) {
        const runtime = options.text('runtime') as Workstation['runtime'] | undefined;
        const fields = given({ name: args[0]!, runtime, description: options.text('description') });
        const desk = await service().people().orderWorkstation(fields, { signal });
        out.done(
          desk,
          `Ordered ${desk.name}, ${desk.workstation_id}. Run this on the machine:\n\n${desk.install_command}`,
        );
      },
    },
    {
      use: 'timeline <desk>',
      about: 'Show what happened to a desk, newest first.',
      examples: ['guildhall desks timeline "Build desk"'],
      async run(call) {
        const { workstation_id } = await findDesk(call, call.args[0]!);
        const { items } = await call
          .service()
          .people()
          .listDeskTimeline({ workstation_id }, { signal: call.signal });
        call.out.list(items, [
          { title: 'at', of: (item) => item.at },
          { title: 'what', of: (item) => item.kind },
          { title: 'from', of: (item) => item.from },
          { title: 'to', of: (item) => item.to },
          { title: 'reason', of: (item) => item.reason },
        ]);
      },
    },
    {
      use: 'lift-hold <desk>',
      about: "Lift the hold of a desk whose provider's limit was reached: it gets builds again at once.",
      examples: ['guildhall desks lift-hold "Build desk"'],
      async run(call) {
        const { workstation_id, name } = await findDesk(call, call.args[0]!);
        await call.service().people().liftDeskHold({ machine_id: workstation_id }, { signal: call.signal });
        call.out.done({ workstation_id, held_until: null }, `Nothing holds ${name} any more.`);
      },
    },
    {
      use: 'retry-logins <desk>',
      about:
        'Retry the refused logins of a desk, after logging in there: waiting builds are handed out at once.',
      examples: ['guildhall desks retry-logins "Build desk"'],
      async run(call) {
        const { workstation_id, name } = await findDesk(call, call.args[0]!);
        await call
          .service()
          .people()
          .retryDeskLogins({ machine_id: workstation_id }, { signal: call.signal });
        call.out.done({ workstation_id }, `${name} gets builds again.`);
      },
    },
    {
      use: 'release <desk>',
      about: 'Release a desk; its token dies at once.',
      examples: ['guildhall desks release "Build desk" --yes'],
      options: [['--yes', 'Skip the confirmation']],
      async run(call) {
        const { workstation_id, name } = await findDesk(call, call.args[0]!);
        await confirmDeletion(`Release the desk ${name}? It cannot be undone.`, call.options.flag('yes'));
        const released = await call
          .service()
          .people()
          .releaseWorkstation({ workstation_id }, { signal: call.signal });
        call.out.done(released, `Released ${name}.`);
      },
    },
  ],
};
