import type { Group } from '../command.js';
import { misuse } from '../failure.js';
import { getProjectId } from '../find.js';
import { readPiped } from '../input.js';
import { given } from '../options.js';
import { ask, canAsk, confirmDeletion } from '../prompt.js';

const PROJECT: [string, string] = ['--project <project>', "The project, by name or id; else the checkout's"];
const RECIPIENTS = ['setup', 'checks', 'coder'] as const;
type Recipient = (typeof RECIPIENTS)[number];

function readRecipients(text: string | undefined): Recipient[] | undefined {
  if (text === undefined) return undefined;
  return text.split(',').map((name) => {
    const found = RECIPIENTS.find((one) => one === name.trim());
    if (!found) throw misuse(`Unknown recipient: ${name}`, `Use one or more of: ${RECIPIENTS.join(', ')}`);
    return found;
  });
}

export const secrets: Group = {
  name: 'secrets',
  about: 'Secrets of a project',
  commands: [
    {
      use: 'list',
      about: 'List the secrets of a project. Values are never shown.',
      examples: ['guildhall secrets list --project Billing'],
      options: [PROJECT],
      async run(call) {
        const project_id = await getProjectId(call);
        const { secrets: found } = await call
          .service()
          .client.listProjectSecrets({ project_id }, { signal: call.signal });
        call.out.list(
          found,
          [
            { title: 'name', of: ({ name }) => name },
            { title: 'to', of: ({ to }) => to.join(', ') },
            { title: 'changed', of: ({ updated_at }) => updated_at },
          ],
          'No secrets yet. Set one with: guildhall secrets set API_KEY < file',
        );
      },
    },
    {
      use: 'set <name>',
      about: 'Set a secret. The value is read from standard input.',
      examples: [
        'guildhall secrets set NPM_TOKEN < token.txt',
        'pass npm | guildhall secrets set NPM_TOKEN --to setup',
      ],
      options: [
        PROJECT,
        ['--to <recipients>', 'setup, checks or coder, separated by commas; default setup,checks'],
      ],
      async run(call) {
        const { args, options, signal } = call;
        const to = readRecipients(options.text('to'));
        const project_id = await getProjectId(call);
        const name = args[0]!;
        const typed = canAsk() ? await ask(`Value of ${name}: `, { hidden: true }) : await readPiped(signal);
        const value = typed.replace(/\r?\n$/, '');
        if (value === '')
          throw misuse('The value is empty', `Pipe it in: guildhall secrets set ${name} < file`);
        const secret = await call
          .service()
          .client.setProjectSecret(given({ project_id, name, value, to }), { signal });
        call.out.done(secret, `Set ${name} for ${secret.to.join(', ')}.`);
      },
    },
    {
      use: 'remove <name>',
      about: 'Delete a secret.',
      examples: ['guildhall secrets remove NPM_TOKEN'],
      options: [PROJECT, ['--yes', 'Skip the confirmation']],
      async run(call) {
        const project_id = await getProjectId(call);
        const name = call.args[0]!;
        await confirmDeletion(`Delete the secret ${name}?`, call.options.flag('yes'));
        await call.service().client.deleteProjectSecret({ project_id, name }, { signal: call.signal });
        call.out.done({ name, deleted: true }, `Deleted ${name}.`);
      },
    },
  ],
};
