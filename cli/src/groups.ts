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
    about: 'Forget a sign-in',
    load: async () => (await import('./commands/login.js')).logout,
  },
  {
    name: 'whoami',
    about: 'Show who you are there, and what you may do',
    load: async () => (await import('./commands/login.js')).whoami,
  },
  {
    name: 'context',
    about: 'Choose between servers and workspaces',
    load: async () => (await import('./commands/context.js')).context,
  },
  {
    name: 'connect',
    about: 'Connect Claude Code or Codex to this repository',
    load: async () => (await import('./commands/connect.js')).connect,
  },
  {
    name: 'doctor',
    about: 'Check the sign-in and what connect set up here',
    load: async () => (await import('./commands/doctor.js')).doctor,
  },
  {
    name: 'boards',
    section: 'Boards and cards:',
    about: 'Boards',
    load: async () => (await import('./commands/boards.js')).boards,
  },
  {
    name: 'cards',
    about: 'Cards of a board',
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
    about: 'Builds of cards by a coder',
    load: async () => (await import('./commands/builds.js')).builds,
  },
  {
    name: 'work',
    about: 'Take a card to your own machine',
    load: async () => (await import('./commands/work.js')).work,
  },
  {
    name: 'done',
    about: 'Submit the card that you have on your machine',
    load: async () => (await import('./commands/done.js')).done,
  },
  {
    name: 'checks',
    about: 'Checks that a build must pass',
    load: async () => (await import('./commands/checks.js')).checks,
  },
  {
    name: 'spend',
    about: 'Cost of builds',
    load: async () => (await import('./commands/spend.js')).spend,
  },
  {
    name: 'desks',
    about: 'Desks: machines that build',
    load: async () => (await import('./commands/desks.js')).desks,
  },
  {
    name: 'profiles',
    about: 'Coder profiles',
    load: async () => (await import('./commands/profiles.js')).profiles,
  },
  {
    name: 'memory',
    section: 'Knowledge:',
    about: 'Memories of agents',
    load: async () => (await import('./commands/memory.js')).memory,
  },
  {
    name: 'lessons',
    about: 'Lessons near code',
    load: async () => (await import('./commands/lessons.js')).lessons,
  },
  {
    name: 'projects',
    about: 'Projects and their code index',
    load: async () => (await import('./commands/projects.js')).projects,
  },
  {
    name: 'members',
    section: 'Workspace:',
    about: 'People of the workspace',
    load: async () => (await import('./commands/members.js')).members,
  },
  {
    name: 'tokens',
    about: 'Your access tokens and those of your agents',
    load: async () => (await import('./commands/tokens.js')).tokens,
  },
  {
    name: 'features',
    about: 'Feature switches of the workspace',
    load: async () => (await import('./commands/features.js')).features,
  },
  {
    name: 'hires',
    about: 'Hired employees',
    load: async () => (await import('./commands/hires.js')).hires,
  },
  {
    name: 'webhooks',
    about: 'Webhooks of the workspace',
    load: async () => (await import('./commands/webhooks.js')).webhooks,
  },
  {
    name: 'admin',
    about: "The operator's work",
    load: async () => (await import('./commands/admin.js')).admin,
  },
  {
    name: 'api',
    section: 'For scripts and programs:',
    about: 'Call any operation by method and path',
    load: async () => (await import('./commands/api.js')).api,
  },
  {
    name: 'mcp',
    about: 'Offer the tools of agents over stdio',
    load: async () => (await import('./commands/mcp.js')).mcp,
  },
  {
    name: 'hook',
    about: 'Called by connected programs',
    load: async () => (await import('./commands/hook.js')).hook,
  },
  {
    name: 'completion',
    about: 'Print completions for a shell',
    load: async () => (await import('./commands/completion.js')).describeCompletion(ENTRIES),
  },
];

export const isGroup = (loaded: Group | Command): loaded is Group => 'commands' in loaded;

/** The command that runs when only the group is given: `list`. */
export const usualCommand = ({ commands }: Group): Command | undefined =>
  commands.find(({ use }) => use.split(' ')[0] === 'list');
