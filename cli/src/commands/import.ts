import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GuildhallError, type Import } from '../../../client/src/index.js';
import type { Call, Command } from '../command.js';
import { broken, misuse } from '../failure.js';
import { findProjectId, getBoardId, same } from '../find.js';
import { fetchIssues } from '../import/host-issues.js';
import { decideMapping, readMap, readRows, showPreview, sumUp } from '../import/preview.js';
import { confirmDeletion } from '../prompt.js';

const SOURCES = ['github', 'gitlab', 'linear', 'jira', 'trello', 'csv'] as const;
type Source = (typeof SOURCES)[number];
type HostSource = 'github' | 'gitlab';

const MAP_USER = {
  name: '--map-user',
  form: '<login>=<email>',
  example: '--map-user octocat=ada@acme.example',
};
const LARGEST_MIB = 50;
const LOOK_MS = 300;
const REPOSITORY = /^[\w.-]+(?:\/[\w.-]+)+$/;

export const importCards: Command = {
  use: 'import <source> <from>',
  about:
    'Import cards from an export file, or from a repository (owner/name) on GitHub or GitLab. Sources: github, gitlab, linear, jira, trello and csv.',
  examples: [
    'guildhall import jira issues.csv --board ENG --dry-run',
    'guildhall import trello board.json --board ENG --map "Simmering=In Progress"',
    'GITHUB_TOKEN=… guildhall import github acme/app --board ENG --map-user octocat=ada@acme.example --yes',
  ],
  options: [
    ['--board <board>', 'The board, by key, name or id; default: board_id in guildhall.json'],
    ['--map <from=to>...', 'Map a state to a column or a status'],
    ['--map-user <login=email>...', 'Map a person in the source to an email address'],
    ['--project <project>', 'The project that is connected to the repository'],
    ['--dry-run', 'Show a preview without creating cards'],
    ['--yes', 'Skip the confirmation'],
  ],
  async run(call) {
    const { options, out, signal } = call;
    const [given = '', from = ''] = call.args;
    const source = SOURCES.find((each) => each === given.toLowerCase());
    if (!source) throw misuse(`Unsupported source: ${given}`, `Use one of: ${SOURCES.join(', ')}`);
    const map = readMap(options.many('map'));
    const users = readMap(options.many('mapUser'), MAP_USER);
    const board_id = await getBoardId(call);
    const { client } = call.service();
    const board = await client.getBoard({ board_id }, { signal });
    const found = await read(call, source, from, board_id);
    let isKept = false;
    try {
      if (options.flag('dryRun')) {
        if (out.isData)
          out.data({ ...found, rows: await readRows(call, found.import_id, undefined, Infinity) });
        else await showPreview(call, found, { whole: true, users });
        return;
      }
      if (!out.isData) await showPreview(call, found, { whole: false, users });
      if (found.counts.new === 0) {
        out.done(found, 'No new rows. No cards were created.');
        return;
      }
      const mapping = await decideMapping(found, board, map);
      await confirmDeletion(
        `Create ${found.counts.new} cards on ${board.name} (${board.key})?`,
        options.flag('yes'),
      );
      isKept = true;
      await client.startImport({ import_id: found.import_id, mapping, users }, { signal }).catch((error) => {
        // A 422 means that the import did not start, so its preview can be deleted.
        if (error instanceof GuildhallError && error.status === 422) isKept = false;
        throw error;
      });
      const done = await follow(call, found.import_id);
      out.done(
        done,
        `Created ${done.counts.made} cards on ${board.name} (${board.key}). ${rest(done)}`.trim(),
      );
    } finally {
      // Deletes the preview of an import that did not start.
      if (!isKept) await client.deleteImport({ import_id: found.import_id }).catch(() => {});
    }
  },
};

const rest = (done: Import): string =>
  done.counts.known + done.counts.unreadable === 0 ? '' : `${sumUp(done).split('; ').slice(1).join('; ')}.`;

async function read(call: Call, source: Source, from: string, board_id: string): Promise<Import> {
  const { signal } = call;
  const { client } = call.service();
  const upload = (file: File) => client.createImport({ board_id, source, file }, { signal });
  const file = await stat(from).catch(() => undefined);
  if (file?.isFile()) {
    if (file.size > LARGEST_MIB * 1024 ** 2) throw misuse(`${from} is larger than ${LARGEST_MIB} MiB`);
    return upload(new File([await readFile(from)], basename(from)));
  }
  if ((source !== 'github' && source !== 'gitlab') || !REPOSITORY.test(from))
    throw misuse(`File not found: ${from}`);
  return (await readByProject(call, source, from, board_id)) ?? upload(await fetchHere(call, source, from));
}

/** If a project is connected to the repository, the service itself reads the issues from the host. */
async function readByProject(
  call: Call,
  source: HostSource,
  repository: string,
  board_id: string,
): Promise<Import | undefined> {
  const { signal, options, out } = call;
  const { client } = call.service();
  const project_id = await findProjectId(call);
  if (project_id === undefined) return undefined;
  const forge = await client.getForge({ project_id }, { signal }).catch((error: unknown) => {
    if (error instanceof GuildhallError && error.status > 0 && error.status < 500) return undefined;
    throw error;
  });
  if (!forge || forge.kind !== source || !same(forge.repository, repository)) {
    if (options.text('project') !== undefined)
      throw misuse(
        `The project is not connected to ${repository}`,
        'Connect it in the project settings, or omit --project.',
      );
    return undefined;
  }
  let found = await client.createHostImport({ board_id, project_id }, { signal });
  const waiting = out.waiting(`Reading ${repository}`);
  try {
    while (found.status === 'reading') {
      await pause(LOOK_MS, undefined, { signal });
      found = await client.getImport({ import_id: found.import_id }, { signal });
    }
  } finally {
    waiting.end();
  }
  if (found.status === 'failed') throw broken(found.error ?? 'Could not read the issues from the host');
  return found;
}

async function fetchHere(call: Call, source: HostSource, repository: string): Promise<File> {
  const progress = call.out.progress(`Reading ${repository}`);
  try {
    return await fetchIssues(source, repository, {
      env: call.env,
      signal: call.signal,
      progress: (issues) => progress.update(issues, 0, `${issues} issues`),
    });
  } finally {
    progress.end();
  }
}

/** Shows progress until all cards are created. The import continues if this command is interrupted. */
async function follow(call: Call, import_id: string): Promise<Import> {
  const { out, signal } = call;
  const progress = out.progress('Creating cards');
  try {
    for (;;) {
      const state = await call.service().client.getImport({ import_id }, { signal });
      progress.update(state.counts.made, state.counts.new);
      if (state.status === 'done') return state;
      if (state.status === 'failed')
        throw broken(state.error ?? 'The import failed', 'Run the command again to resume.');
      await pause(LOOK_MS, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) out.note('The import continues on the server.');
    throw error;
  } finally {
    progress.end();
  }
}
