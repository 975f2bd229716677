export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export interface Tree {
  flags: string[];
  commands: { name: string; about: string; flags: string[] }[];
}

export type Entry = Tree & { name: string; about: string };

/** Writes a static script: completing a word starts no process and sends no request. */
export const describeShell = (shell: Shell, entries: Entry[]): string =>
  shell === 'fish' ? writeFish(entries) : shell === 'zsh' ? writeZsh(entries) : writeBash(entries);

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const words = (list: readonly { name: string }[]) => list.map(({ name }) => name).join(' ');

/** Writes `boards)` and `boards/list)`, each with the words that can follow. */
function writeCases(entries: Entry[], indent: string): string {
  const lines = entries.flatMap(({ name, flags, commands }) => [
    `${indent}${quote(name)}) words=${quote([words(commands), ...flags].filter(Boolean).join(' '))} ;;`,
    ...commands.map(
      (each) => `${indent}${quote(`${name}/${each.name}`)}) words=${quote(each.flags.join(' '))} ;;`,
    ),
  ]);
  return lines.join('\n');
}

const writeBash = (entries: Entry[]) => `# guildhall completion for bash
_guildhall() {
  local word place='' words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    [[ $word == -* ]] && continue
    if [[ -z $place ]]; then place=$word; elif [[ $place != */* ]]; then place=$place/$word; fi
  done
  case $place in
    '') words=${quote(`${words(entries)} --context --help --version`)} ;;
${writeCases(entries, '    ')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _guildhall guildhall
`;

const describeZsh = (list: readonly { name: string; about: string }[]) =>
  list.map(({ name, about }) => quote(`${name}:${about.replaceAll(':', '\\:')}`)).join(' ');

const writeZsh = (entries: Entry[]) => `#compdef guildhall
_guildhall() {
  local -a found
  local place='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && continue
    if [[ -z $place ]]; then place=$word; elif [[ $place != */* ]]; then place=$place/$word; fi
  done
  case $place in
    '') found=(${describeZsh(entries)} '--context' '--help' '--version') ;;
${writeZshCases(entries)}
    *) _files; return ;;
  esac
  _describe guildhall found || _files
}
if [[ $funcstack[1] == _guildhall ]]; then _guildhall "$@"; else compdef _guildhall guildhall; fi
`;

const writeZshCases = (entries: Entry[]) =>
  entries
    .flatMap(({ name, flags, commands }) => [
      `    ${quote(name)}) found=(${[describeZsh(commands), ...flags.map(quote)].filter(Boolean).join(' ')}) ;;`,
      ...commands.map(
        (each) => `    ${quote(`${name}/${each.name}`)}) found=(${each.flags.map(quote).join(' ')}) ;;`,
      ),
    ])
    .join('\n');

const writeFish = (entries: Entry[]) => {
  const all = quote(`__fish_use_subcommand`);
  const lines = ['# guildhall completion for fish', 'complete -c guildhall -f'];
  for (const { name, about, flags, commands } of entries) {
    lines.push(`complete -c guildhall -n ${all} -a ${quote(name)} -d ${quote(about)}`);
    const names = words(commands);
    const atGroup = quote(
      `__fish_seen_subcommand_from ${name}${names ? `; and not __fish_seen_subcommand_from ${names}` : ''}`,
    );
    for (const each of commands)
      lines.push(`complete -c guildhall -n ${atGroup} -a ${quote(each.name)} -d ${quote(each.about)}`);
    for (const flag of flags) lines.push(`complete -c guildhall -n ${atGroup} -l ${flag.slice(2)}`);
    for (const each of commands) {
      const at = quote(`__fish_seen_subcommand_from ${name}; and __fish_seen_subcommand_from ${each.name}`);
      for (const flag of each.flags) lines.push(`complete -c guildhall -n ${at} -l ${flag.slice(2)}`);
    }
  }
  return `${lines.join('\n')}\n`;
};
