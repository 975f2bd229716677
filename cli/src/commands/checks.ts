import { CHECKS_FILE, type ChecksDefinition, settleChecks } from '../../../packages/protocol/checks-file.js';
import { type CheckResult, inCleanCheckout, runChecks } from '../check-run.js';
import { readChecksAt } from '../checks-at.js';
import type { Call, Group } from '../command.js';
import { broken, misuse } from '../failure.js';
import { getProjectId } from '../find.js';

const columns = [
  { title: 'check', of: (result: CheckResult) => result.name },
  { title: 'status', of: (result: CheckResult) => result.status },
  { title: 'code', of: (result: CheckResult) => result.exit_code },
  { title: 'seconds', of: (result: CheckResult) => result.seconds },
];

/** Uses the checks configured on the project if there are any, otherwise those in the checkout. */
async function findDefinition(call: Call, folder: string): Promise<ChecksDefinition> {
  const project_id = await getProjectId(call);
  const { client } = call.service();
  const own = settleChecks(await client.getProjectChecks({ project_id }, { signal: call.signal }));
  const found = own.checks.length > 0 || own.setup ? own : readChecksAt(folder);
  if (found && found.checks.length > 0) return found;
  throw misuse('This project has no checks', `Add them to ${CHECKS_FILE} or in the project settings.`);
}

export const checks: Group = {
  name: 'checks',
  about: 'Run the checks of a project',
  commands: [
    {
      use: 'run',
      about: "Run the project's checks locally on the current commit, as a desk would.",
      examples: ['guildhall checks run', 'guildhall checks run --only tests --json'],
      options: [
        ['--project <project>', 'The project, by name or id; default: the project of the checkout'],
        ['--only <check>...', 'Only the check with this name'],
      ],
      async run(call) {
        const { out, env, options, signal } = call;
        const root = call.checkout()?.root;
        if (!root)
          throw misuse(
            'Not in a git checkout',
            'Run this command in a clone of the repository with the checks.',
          );
        // Goes to stderr, because stdout may carry data.
        const say = (text: string) => out.note(text.replace(/\n$/, ''));
        const only = options.many('only') ?? [];
        const { definition, setup, results } = await inCleanCheckout(
          root,
          { env, say, signal },
          async (site) => {
            const whole = await findDefinition(call, site.folder);
            const unknown = only.find((name) => !whole.checks.some((check) => check.name === name));
            if (unknown !== undefined)
              throw misuse(
                `Check not found: ${unknown}`,
                `Available checks: ${whole.checks.map(({ name }) => name).join(', ')}`,
              );
            const chosen = whole.checks.filter(({ name }) => only.length === 0 || only.includes(name));
            const definition = { ...whole, checks: chosen };
            return { definition, ...(await runChecks(site, definition)) };
          },
        );
        out.list(results, columns);
        const bad = results.filter(({ status }) => status !== 'passed');
        if (bad.length === 0 || !definition.required) return;
        if (setup && setup.status !== 'passed') throw broken(`Setup ${setup.status.replace('_', ' ')}`);
        throw broken(`Checks did not pass: ${bad.map(({ name }) => name).join(', ')}`);
      },
    },
  ],
};
