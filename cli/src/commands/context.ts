import type { Group } from '../command.js';
import { getContext, writeConfig } from '../config.js';

export const context: Group = {
  name: 'context',
  about: 'Manage contexts: signed-in servers and workspaces',
  commands: [
    {
      use: 'list',
      about: 'List your contexts and mark the current one.',
      examples: ['guildhall context', 'guildhall context list --json name,url'],
      run({ config, out, env }) {
        const rows = Object.entries(config.contexts).map(
          ([name, { url, workspace, brand_id, user, token, session, agents = [] }]) => ({
            name,
            current: name === config.current,
            url,
            workspace: workspace ?? null,
            brand_id: brand_id ?? null,
            user: user ?? null,
            credentials: [
              token && 'token',
              session && 'session',
              ...agents.map(({ agent_id, program }) => `agent ${agent_id ?? program}`),
            ].filter(Boolean),
          }),
        );
        if (env['GUILDHALL_URL'] || env['GUILDHALL_TOKEN'])
          out.note('GUILDHALL_URL and GUILDHALL_TOKEN in the environment override these contexts.');
        out.list(
          rows,
          [
            { title: '', of: (row) => (row.current ? '*' : '') },
            { title: 'name', of: (row) => row.name },
            { title: 'workspace', of: (row) => row.workspace },
            { title: 'user', of: (row) => row.user },
            { title: 'url', of: (row) => row.url },
            { title: 'credentials', of: (row) => row.credentials },
          ],
          'No contexts yet. Sign in with: guildhall login',
        );
      },
    },
    {
      use: 'use <name>',
      about: 'Switch to another context.',
      examples: ['guildhall context use guildhall.example/acme'],
      run({ args, config, env, out }) {
        const [name = ''] = args;
        const { url } = getContext(config, name);
        writeConfig(env, { ...config, current: name });
        out.done({ current: name, url }, `Switched to context ${name} at ${url}.`);
      },
    },
    {
      use: 'rename <name> <new-name>',
      about: 'Rename a context.',
      examples: ['guildhall context rename 127.0.0.1:8080/acme-robotics local'],
      run({ args, config, env, out }) {
        const [name = '', next = ''] = args;
        const { [name]: moved = getContext(config, name), ...others } = config.contexts;
        const current = config.current === name ? next : config.current;
        writeConfig(env, {
          ...(current !== undefined && { current }),
          contexts: { ...others, [next]: moved },
        });
        out.done({ name: next }, `Renamed context ${name} to ${next}.`);
      },
    },
  ],
};
