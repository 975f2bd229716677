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
  about: 'Projects and their code index',
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
          'No projects yet. Make one with: guildhall projects create Billing --repository <address>',
        );
      },
    },
    {
      use: 'create <name>',
      about: 'Make a project, with or without a repository.',
      examples: ['guildhall projects create Billing --repository https://git.example/team/billing.git'],
      options: [
        ['--repository <address>', 'Where its code is'],
        ['--branch <branch>', "The branch to read; the repository's own unless said"],
      ],
      async run({ args, options, out, service, signal }) {
        const url = options.text('repository');
        const repository = url === undefined ? undefined : given({ url, branch: options.text('branch') });
        const project = await service().client.createProject(given({ name: args[0]!, repository }), {
          signal,
        });
        out.done(project, `Made the project ${project.name}, ${project.project_id}`);
      },
    },
    {
      use: 'key',
      about:
        'Print the public key with which the project alone reaches its repository; made when first asked for.',
      examples: ['guildhall projects key', 'guildhall projects key --project Billing --json fingerprint'],
      options: [
        ['--project <project>', "The project, by name or id; else the checkout's"],
        ['--yes', 'Skip the confirmation before a token is replaced'],
      ],
      async run(call) {
        const { out, options, signal } = call;
        const { client } = call.service();
        const project_id = await getProjectId(call);
        let access = await client.getProjectCredentials({ project_id }, { signal });
        if (access.kind === 'token')
          await confirmDeletion('Forget the token of this project and make a key?', options.flag('yes'));
        if (access.kind !== 'deploy_key')
          access = await client.setProjectCredentials({ project_id, kind: 'deploy_key' }, { signal });
        out.done(access, access.public_key ?? '');
      },
    },
    {
      use: 'index',
      about: 'Have the repository looked at now, and wait until its code and lessons are known.',
      examples: ['guildhall projects index', 'guildhall projects index --project Billing --no-wait'],
      options: [
        ['--project <project>', "The project, by name or id; else the checkout's"],
        ['--no-wait', 'Do not wait'],
      ],
      async run(call) {
        const { out, signal } = call;
        const { client } = call.service();
        const project_id = await getProjectId(call);
        const requested = await client.requestProjectIndex({ project_id }, { signal });
        if (call.options.all['wait'] === false) return out.done(requested, 'It is being looked at.');
        const progress = out.progress('Indexing');
        for await (const { data } of client.stream('streamProjectIndex', { project_id }, { signal }))
          if (data.progress) progress.update(data.progress.done, data.progress.total, data.progress.phase);
        progress.end();
        const index = await client.getProjectIndex({ project_id }, { signal });
        if (index.status === 'failed') throw broken(index.error ?? 'The repository could not be read');
        out.done(index, `${index.files} files, ${index.nodes} places in the code, ${index.lessons} lessons.`);
      },
    },
  ],
};
