import type { Command, Group } from '../command.js';
import { describeShell, SHELLS, type Tree } from '../completion/shells.js';
import { misuse } from '../failure.js';

const flagsOf = ({ options = [], plain }: Command): string[] => [
  ...options.flatMap(([flags]) => flags.match(/--[a-z-]+/g) ?? []),
  ...(plain ? [] : ['--json', '--yaml']),
  '--help',
];

const nameOf = ({ use }: Command) => use.split(' ')[0]!;

const treeOf = (loaded: Group | Command): Tree =>
  'commands' in loaded
    ? {
        flags: ['--help'],
        commands: loaded.commands.map((each) => ({
          name: nameOf(each),
          about: each.about,
          flags: flagsOf(each),
        })),
      }
    : { flags: flagsOf(loaded), commands: [] };

interface Named {
  name: string;
  about: string;
  load(): Promise<Group | Command>;
}

/** Takes all groups as an argument, because only groups.ts lists them. */
export const describeCompletion = (named: readonly Named[]): Command => ({
  use: 'completion <shell>',
  about: `Print a shell completion script for ${SHELLS.join(', ')}.`,
  examples: [
    'source <(guildhall completion bash)',
    'guildhall completion zsh > ~/.zsh/completions/_guildhall',
    'guildhall completion fish > ~/.config/fish/completions/guildhall.fish',
  ],
  plain: true,
  async run({ args, out }) {
    const shell = SHELLS.find((each) => each === args[0]);
    if (!shell) throw misuse(`Unsupported shell: ${args[0]}`, `Use one of: ${SHELLS.join(', ')}`);
    const entries = await Promise.all(
      named
        .filter(({ name }) => name !== 'hook')
        .map(async ({ name, about, load }) => ({
          name,
          about,
          ...treeOf(await load()),
        })),
    );
    out.text(describeShell(shell, entries));
  },
});
