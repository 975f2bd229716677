import type { Guildhall, Hire } from '../../../client/src/index.js';
import type { Call, Group } from '../command.js';
import { misuse } from '../failure.js';
import { collect } from '../find.js';
import { confirm } from '../prompt.js';

const columns = [
  { title: 'hire', of: (hire: Hire) => hire.hire_id },
  { title: 'status', of: (hire: Hire) => hire.status },
  { title: 'agent', of: (hire: Hire) => hire.agent_id },
  { title: 'until', of: (hire: Hire) => hire.effective_at ?? hire.current_period_end },
  { title: 'error', of: (hire: Hire) => hire.error },
];

const callerOf = ({ env, service }: Call): Guildhall =>
  env['GUILDHALL_ADMIN_KEY'] ? service().operator() : service().people();

export const hires: Group = {
  name: 'hires',
  about: 'Hire and manage employees (sign in with --email first)',
  commands: [
    {
      use: 'list',
      about: 'List the hires of the workspace, newest first.',
      examples: ['guildhall hires', 'guildhall hires list --json hire_id,status'],
      async run(call) {
        const found = await collect(callerOf(call).iterate('listHires', {}, { signal: call.signal }));
        call.out.list(found, columns, 'No hires yet. List employees with: guildhall hires employees');
      },
    },
    {
      use: 'employees',
      about: 'List the employees that you can hire.',
      examples: ['guildhall hires employees'],
      async run(call) {
        const { employees } = await callerOf(call).listEmployees({}, { signal: call.signal });
        call.out.list(employees, [
          { title: 'name', of: (employee) => employee.name },
          { title: 'description', of: (employee) => employee.description },
          { title: 'hired', of: (employee) => employee.existing_hire_id },
          { title: 'id', of: (employee) => employee.profile_id },
        ]);
      },
    },
    {
      use: 'show <hire>',
      about: 'Show a hire and its setup steps.',
      examples: ['guildhall hires show 0b6a2c52-8a5f-4c0b-8b1e-3c9f6f3f2a77'],
      async run(call) {
        const hire = await callerOf(call).getHire({ hire_id: call.args[0]! }, { signal: call.signal });
        const steps = hire.steps.map(
          ({ title, state, reason }) => `${title}: ${[state, reason].filter(Boolean).join('. ')}`,
        );
        call.out.record(
          hire,
          [
            ['hire', hire.hire_id],
            ['status', hire.status],
            ['agent', hire.agent_id],
            ['desk', hire.workstation_id],
            ['error', hire.error],
            ['period ends', hire.current_period_end],
            ['ends', hire.effective_at],
          ],
          steps.join('\n'),
        );
      },
    },
    {
      use: 'start <employee>',
      about: 'Hire an employee, by name or profile_id.',
      examples: ['guildhall hires start "Release Writer"'],
      async run(call) {
        const { signal, args, out } = call;
        const client = callerOf(call);
        const { employees } = await client.listEmployees({}, { signal });
        const found = employees.find(({ profile_id, name }) => profile_id === args[0] || name === args[0]);
        if (!found)
          throw misuse(
            `Employee not found: ${args[0]}`,
            `Available employees: ${employees.map(({ name }) => name).join(', ')}`,
          );
        const hire = await client.hireEmployee({ profile_id: found.profile_id }, { signal });
        out.done(hire, `Hired ${found.name}. Check its progress with: guildhall hires show ${hire.hire_id}`);
      },
    },
    {
      use: 'cancel <hire>',
      about: 'Cancel a hire at the end of its period, or immediately with --now.',
      examples: ['guildhall hires cancel 0b6a2c52-8a5f-4c0b-8b1e-3c9f6f3f2a77 --now'],
      options: [
        ['--now', 'Cancel immediately instead of at the end of the period'],
        ['--yes', 'Skip the confirmation'],
      ],
      async run(call) {
        const { options, signal, out } = call;
        const hire_id = call.args[0]!;
        const client = callerOf(call);
        await confirm(
          `Cancel hire ${hire_id}${options.flag('now') ? ' immediately' : ''}?`,
          options.flag('yes'),
        );
        const canceled = options.flag('now')
          ? await client.cancelHireNow({ hire_id }, { signal })
          : await client.cancelHire({ hire_id }, { signal });
        out.done(canceled, `Canceled the hire. It ends at ${canceled.effective_at}.`);
      },
    },
  ],
};
