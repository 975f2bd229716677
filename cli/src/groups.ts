import type { Command, Group } from './command.js';

interface Entry {
  name: string;
  about: string;
  /** The heading in the help, for this entry and those after it. */
  section?: string;
  load(): Promise<Group | Command>;
}

/** All commands by name. Only the requested group is loaded, which keeps startup fast. */
export const ENTRIES: Entry[] = [
  {
    name: 'login',
    section: 'Set up:',
    about: 'Sign in to a server',
    load: async () => (await import('./commands/login.js')).login,
  },
  {
    name: 'logout',
    about: 'Sign out',
    load: async () => (await import('./commands/login.js')).logout,
  },
  {
    name: 'whoami',
    about: 'Show your account and permissions',
    load: async () => (await import('./commands/login.js')).whoami,
  },
  {
    name: 'context',
    about: 'Manage contexts: signed-in servers and workspaces',
    load: async () => (await import('./commands/context.js')).context,
  },
  {
    name: 'connect',
    about: 'Connect Claude Code or Codex to this repository',
    load: async () => (await import('./commands/connect.js')).connect,
  },
  {
    name: 'doctor',
    about: 'Diagnose the sign-in and the connection of this repository',
    load: async () => (await import('./commands/doctor.js')).doctor,
  },
  {
    name: 'boards',
    section: 'Boards and cards:',
    about: 'Manage boards',
    load: async () => (await import('./commands/boards.js')).boards,
  },
  {
    name: 'cards',
    about: 'Manage cards',
    load: async () => (await import('./commands/cards.js')).cards,
  },
  {
    name: 'search',
    about: 'Search the workspace',
    load: async () => (await import('./commands/search.js')).search,
  },
  {
    name: 'import',
    about: 'Import cards from GitHub, GitLab, Linear, Jira, Trello or CSV',
    load: async () => (await import('./commands/import.js')).importCards,
  },
  {
    name: 'builds',
    section: 'Builds:',
    about: 'Manage builds',
    load: async () => (await import('./commands/builds.js')).builds,
  },
  {
    name: 'work',
    about: 'Work on a card on your own machine',
    load: async () => (await import('./commands/work.js')).work,
  },
  {
    name: 'done',
    about: 'Submit your local work on a card',
    load: async () => (await import('./commands/done.js')).done,
  },
  {
    name: 'checks',
    about: 'Run the checks of a project',
    load: async () => (await import('./commands/checks.js')).checks,
  },
  {
    name: 'spend',
    about: 'Show the cost of builds',
    load: async () => (await import('./commands/spend.js')).spend,
  },
  {
    name: 'desks',
    about: 'Manage desks, the machines that run builds',
    load: async () => (await import('./commands/desks.js')).desks,
  },
  {
    name: 'profiles',
    about: 'Manage coder profiles',
    load: async () => (await import('./commands/profiles.js')).profiles,
  },
  {
    name: 'memory',
    section: 'Knowledge:',
    about: 'Manage the memory of agents',
    load: async () => (await import('./commands/memory.js')).memory,
  },
  {
    name: 'lessons',
    about: 'Find and sync lessons',
    load: async () => (await import('./commands/lessons.js')).lessons,
  },
  {
    name: 'projects',
    about: 'Manage projects and their code index',
    load: async () => (await import('./commands/projects.js')).projects,
  },
  {
    name: 'secrets',
    about: 'Secrets of a project',
    load: async () => (await import('./commands/secrets.js')).secrets,
  },
  {
    name: 'members',
    section: 'Workspace:',
    about: 'Manage workspace members',
    load: async () => (await import('./commands/members.js')).members,
  },
  {
    name: 'tokens',
    about: 'Manage your access tokens',
    load: async () => (await import('./commands/tokens.js')).tokens,
  },
  {
    name: 'features',
    about: 'Turn workspace features on or off',
    load: async () => (await import('./commands/features.js')).features,
  },
  {
    name: 'hires',
    about: 'Hire and manage employees',
    load: async () => (await import('./commands/hires.js')).hires,
  },
  {
    name: 'webhooks',
    about: 'Manage webhooks',
    load: async () => (await import('./commands/webhooks.js')).webhooks,
  },
  {
    name: 'admin',
    about: 'Administer the server as its operator',
    load: async () => (await import('./commands/admin.js')).admin,
  },
  {
    name: 'api',
    section: 'Scripts and integrations:',
    about: 'Make an authenticated API request',
    load: async () => (await import('./commands/api.js')).api,
  },
  {
    name: 'mcp',
    about: "Serve Guildhall's MCP tools over stdio",
    load: async () => (await import('./commands/mcp.js')).mcp,
  },
  {
    name: 'hook',
    about: 'Run a hook of a connected program',
    load: async () => (await import('./commands/hook.js')).hook,
  },
  {
    name: 'completion',
    about: 'Print a shell completion script',
    load: async () => (await import('./commands/completion.js')).describeCompletion(ENTRIES),
  },
];

export const isGroup = (loaded: Group | Command): loaded is Group => 'commands' in loaded;

/** The command that runs when only the group is given: `list`. */
export const usualCommand = ({ commands }: Group): Command | undefined =>
  commands.find(({ use }) => use.split(' ')[0] === 'list');
