import type { CreateMyTokenArguments, TokenList } from '../../../client/src/index.js';
import type { Group } from '../command.js';
import { given } from '../options.js';
import { keepToken, TOKEN_OPTIONS } from '../token-file.js';

type Token = TokenList['tokens'][number];

const columns = [
  { title: 'id', of: (token: Token) => token.token_id },
  { title: 'name', of: (token: Token) => token.name },
  { title: 'agent', of: (token: Token) => token.agent_id },
  { title: 'scopes', of: (token: Token) => token.scopes.join(', ') },
  { title: 'last used', of: (token: Token) => token.last_used_at },
  { title: 'expires', of: (token: Token) => token.expires_at },
];

export const tokens: Group = {
  name: 'tokens',
  about: 'Manage your access tokens in this workspace (sign in with --email first)',
  commands: [
    {
      use: 'list',
      about: 'List your tokens and the agents that use them.',
      examples: ['guildhall tokens', 'guildhall tokens list --json token_id,agent_id'],
      async run({ out, service, signal }) {
        const { tokens: listed } = await service().people().listMyTokens({}, { signal });
        out.list(
          listed,
          columns,
          'No tokens yet. Create one with: guildhall tokens create laptop --to token.txt',
        );
      },
    },
    {
      use: 'create <name>',
      about:
        'Create a token and write it to a file that only you can read. With --agent, the agent uses it on your behalf.',
      examples: [
        'guildhall tokens create laptop --scope brand:read --to token.txt',
        'guildhall tokens create shop --agent claude-shop --scope memory:write --to token.txt',
      ],
      options: TOKEN_OPTIONS,
      async run({ args, options, out, service, signal }) {
        const client = service().people();
        const { made, file } = await keepToken(options, () =>
          client.createMyToken(
            given({
              name: args[0]!,
              scopes: (options.many('scope') ?? []) as CreateMyTokenArguments['scopes'],
              agent_id: options.text('agent'),
              expires_at: options.text('expires'),
            }),
            { signal },
          ),
        );
        const who = made.agent_id === null ? '' : ` for the agent ${made.agent_id}`;
        out.done(made, `Created token ${made.token_id}${who} and wrote it to ${file}.`);
      },
    },
    {
      use: 'revoke <token-id>',
      about: 'Revoke one of your tokens, effective immediately.',
      examples: ['guildhall tokens revoke 7a1c9b0e-2f5d-4b7e-9c3a-5d8e1f2a6b44'],
      async run({ args, out, service, signal }) {
        await service().people().revokeMyToken({ token_id: args[0]! }, { signal });
        out.done({ token_id: args[0], revoked: true }, `Revoked token ${args[0]}.`);
      },
    },
  ],
};
