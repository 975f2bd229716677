import { Option, Command as Parser } from 'commander';
import about from '../package.json' with { type: 'json' };
import { createCall } from './call.js';
import type { Command, Group } from './command.js';
import { misuse } from './failure.js';
import { ENTRIES, isGroup, usualCommand } from './groups.js';

type Environment = Record<string, string | undefined>;

/** Creates the parser with all commands of the requested group, and only the names of the other groups. */
export async function createProgram(
  typed: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<Parser> {
  const program = new Parser('guildhall')
    .description('Manage boards, builds, memory and lessons from the command line.')
    .version(about.version, '-V, --version')
    .option('--context <name>', 'Use this context instead of the current one')
    .addHelpText(
      'after',
      '\nExamples:\n  $ guildhall login --url https://guildhall.example\n  $ guildhall connect claude\n  $ guildhall cards list\n  $ guildhall lessons near src/billing.ts',
    );
  const meant = typed.find((word) => ENTRIES.some(({ name }) => name === word));
  if (typed[0] === 'help' && typed[1] !== undefined && meant === undefined) throw unknownCommand(typed[1]);
  for (const { name, about, section, load } of ENTRIES) {
    if (section) program.commandsGroup(section);
    if (name !== meant && typed[0] !== 'help') {
      program.command(name).description(about);
      continue;
    }
    const loaded = await load();
    if (isGroup(loaded)) {
      if (name === meant) refuseStrangeCommand(loaded, typed);
      addGroup(program, loaded, env, signal);
    } else addCommand(program, loaded, env, signal);
  }
  // Puts `help` into the last section, with other rarely used commands.
  program.helpCommand('help [command]', 'Show help for a command');
  return settle(program);
}

/** Rejects a mistyped command, which the parser would take for an argument of the group's default command. */
function refuseStrangeCommand(group: Group, typed: readonly string[]): void {
  const word = typed[typed.indexOf(group.name) + 1];
  const names = group.commands.map(({ use }) => use.split(' ')[0]!);
  if (!usualCommand(group) || word === undefined || !/^[a-z]/i.test(word)) return;
  if (!names.includes(word) && word !== 'help')
    throw unknownCommand(`${group.name} ${word}`, `Available commands: ${names.join(', ')}`);
}

const unknownCommand = (words: string, hint = 'List all commands with: guildhall --help') =>
  misuse(`Unknown command: guildhall ${words}`, hint);

/** Throws parser errors, so that they exit with the documented code. */
function settle(parser: Parser): Parser {
  parser.exitOverride().configureOutput({ outputError: () => {} });
  for (const each of parser.commands) settle(each);
  return parser;
}

function addGroup(program: Parser, group: Group, env: Environment, signal: AbortSignal): void {
  const usual = usualCommand(group);
  const parent = program.command(group.name).description(group.about);
  if (usual)
    parent.addHelpText(
      'after',
      `\nExample:\n  $ ${usual.examples[0]}\n\nWithout a subcommand, \`guildhall ${group.name}\` runs \`list\`.`,
    );
  else parent.addHelpText('after', `\nExample:\n  $ ${group.commands[0]!.examples[0]}`);
  for (const command of group.commands) addCommand(parent, command, env, signal, command === usual);
}

function addCommand(
  parent: Parser,
  command: Command,
  env: Environment,
  signal: AbortSignal,
  isDefault = false,
): void {
  const parser = parent
    .command(command.use, { isDefault })
    .description(command.about)
    .addHelpText(
      'after',
      `\nExample${command.examples.length > 1 ? 's' : ''}:\n${command.examples.map((each) => `  $ ${each}`).join('\n')}`,
    );
  for (const [flags, about] of command.options ?? []) parser.addOption(readOption(flags, about));
  if (!command.plain) {
    parser.option(
      '--json [fields]',
      'Print JSON, with all fields or only the named ones, such as --json id,title',
    );
    parser.option('--yaml', 'Print YAML');
  }
  parser.action(async (...given: unknown[]) => {
    const args = given
      .slice(0, -2)
      .flat()
      .filter((each): each is string => typeof each === 'string');
    const values = parser.optsWithGlobals();
    const toYaml = values['yaml'] === true ? (await import('yaml')).stringify : undefined;
    await command.run(createCall(args, values, { env, signal, toYaml }));
  });
}

/** A repeatable flag takes one value each time, so that it does not consume the following arguments. */
function readOption(flags: string, about: string): Option {
  if (!flags.endsWith('...')) return new Option(flags, about);
  const gather = (value: string, before: string[] | undefined) => [...(before ?? []), value];
  return new Option(flags.slice(0, -3), `${about}; repeatable`).argParser(gather);
}
