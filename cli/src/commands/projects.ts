import type { Project } from '../../../client/src/index.js';
import type { Group } from '../command.js';
import { broken } from '../failure.js';
import { getProjectId } from '../find.js';
import { given } from '../options.js';
import { confirmDeletion } from '../prompt.js';

const columns = [
  { title: 'name', of: (project: Project) => project.name },
  { title: 'repository', of: (project: Project) => project.repository?.url },
  { title: 'branch', of: (project: Project) => project.repository?.branch },
  { title: 'id', of: (project: Project) => project.project_id },
];

export const projects: Group = {
  name: 'projects',
  about: 'Manage projects and their code index',
  commands: [
    {
      use: 'list',
      about: 'List the projects of the workspace.',
      examples: ['guildhall projects', 'guildhall projects list --json project_id,name'],
      async run({ out, service, signal }) {
        const { projects: found } = await service().client.listProjects({}, { signal });
        out.list(
          found,
          columns,
          'No projects yet. Create one with: guildhall projects create Billing --repository <address>',
        );
      },
    },
    {
      use: 'create <name>',
      about: 'Create a project, with or without a repository.',
      examples: ['guildhall projects create Billing --repository https://git.example/team/billing.git'],
      options: [
        ['--repository <address>', 'The repository URL'],
        ['--branch <branch>', 'The branch to index; default: the default branch of the repository'],
      ],
      async run({ args, options, out, service, signal }) {
        const url = options.text('repository');
        const repository = url === undefined ? undefined : given({ url, branch: options.text('branch') });
        const project = await service().client.createProject(given({ name: args[0]!, repository }), {
          signal,
        });
        out.done(project, `Created project ${project.name} (${project.project_id})`);
      },
    },
    {
      use: 'key',
      about: "Print the project's public deploy key, and create the key on first use.",
      examples: ['guildhall projects key', 'guildhall projects key --project Billing --json fingerprint'],
      options: [
        ['--project <project>', 'The project, by name or id; default: the project of the checkout'],
        ['--yes', 'Skip the confirmation before replacing a token'],
      ],
      async run(call) {
        const { out, options, signal } = call;
        const { client } = call.service();
        const project_id = await getProjectId(call);
        let access = await client.getProjectCredentials({ project_id }, { signal });
        if (access.kind === 'token')
          await confirmDeletion(
            'Replace the access token of this project with a deploy key?',
            options.flag('yes'),
          );
        if (access.kind !== 'deploy_key')
          access = await client.setProjectCredentials({ project_id, kind: 'deploy_key' }, { signal });
        out.done(access, access.public_key ?? '');
      },
    },
    {
      use: 'index',
      about: 'Index the repository now and wait until it is done.',
      examples: ['guildhall projects index', 'guildhall projects index --project Billing --no-wait'],
      options: [
        ['--project <project>', 'The project, by name or id; default: the project of the checkout'],
        ['--no-wait', 'Return without waiting for the index'],
      ],
      async run(call) {
        const { out, signal } = call;
        const { client } = call.service();
        const project_id = await getProjectId(call);
        const requested = await client.requestProjectIndex({ project_id }, { signal });
        if (call.options.all['wait'] === false)
          return out.done(requested, 'Started indexing the repository.');
        const progress = out.progress('Indexing');
        for await (const { data } of client.stream('streamProjectIndex', { project_id }, { signal }))
          if (data.progress) progress.update(data.progress.done, data.progress.total, data.progress.phase);
        progress.end();
        const index = await client.getProjectIndex({ project_id }, { signal });
        if (index.status === 'failed') throw broken(index.error ?? 'Could not read the repository');
        out.done(
          index,
          `Indexed ${index.files} files, ${index.nodes} code symbols and ${index.lessons} lessons.`,
        );
      },
    },
  ],
};
