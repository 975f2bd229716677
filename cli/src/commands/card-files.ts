import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Attachment } from '../../../client/src/index.js';
import type { Call, Command } from '../command.js';
import { misuse } from '../failure.js';
import { findCardId } from '../find.js';

const LARGEST_MIB = 25;

const columns = [
  { title: 'name', of: ({ name }: Attachment) => name },
  { title: 'bytes', of: ({ bytes }: Attachment) => bytes },
  { title: 'type', of: ({ content_type }: Attachment) => content_type },
  { title: 'by', of: ({ author }: Attachment) => author?.name },
  { title: 'at', of: ({ created_at }: Attachment) => created_at },
  { title: 'id', of: ({ id }: Attachment) => id },
];

async function readWhole(path: string): Promise<File> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw misuse(`File not found: ${path}`);
  if (found.size > LARGEST_MIB * 1024 ** 2) throw misuse(`${path} is larger than ${LARGEST_MIB} MiB`);
  return new File([await readFile(path)], basename(path));
}

/** Finds a file by its id, or by its name if no other file has that name. */
async function findFile(call: Call, task_id: string, wanted: string): Promise<Attachment> {
  const { attachments } = await call.service().client.listAttachments({ task_id }, { signal: call.signal });
  const found = attachments.filter(({ id, name }) => id === wanted || name === wanted);
  if (found.length === 1) return found[0]!;
  throw misuse(
    found.length === 0
      ? `The card has no attachment ${JSON.stringify(wanted)}`
      : `The card has ${found.length} attachments named ${JSON.stringify(wanted)}. Use an attachment id instead`,
  );
}

export const fileCommands: Command[] = [
  {
    use: 'attach <card> <file>',
    about: 'Attach a file to a card, up to 25 MiB.',
    examples: ['guildhall cards attach ENG-12 screenshot.png'],
    async run(call) {
      const [card = '', path = ''] = call.args;
      const file = await readWhole(path);
      const task_id = await findCardId(call, card);
      const attachment = await call
        .service()
        .client.addAttachment({ task_id, file }, { signal: call.signal });
      call.out.done(attachment, `Attached ${attachment.name} to ${card}.`);
    },
  },
  {
    use: 'attachments <card>',
    about: 'List the attachments of a card and its comments.',
    examples: ['guildhall cards attachments ENG-12'],
    async run(call) {
      const task_id = await findCardId(call, call.args[0]!);
      const { client } = call.service();
      const { attachments } = await client.listAttachments({ task_id }, { signal: call.signal });
      call.out.list(attachments, columns, 'No attachments on this card.');
    },
  },
  {
    use: 'download <card> <name>',
    about: 'Download an attachment of a card, by name or id. An existing file is not overwritten.',
    examples: ['guildhall cards download ENG-12 screenshot.png --out before.png'],
    options: [
      ['--out <path>', 'The path to save to; default: the name of the attachment in the current folder'],
    ],
    async run(call) {
      const [card = '', wanted = ''] = call.args;
      const task_id = await findCardId(call, card);
      const attachment = await findFile(call, task_id, wanted);
      const path = call.options.text('out') ?? basename(attachment.name);
      const { client } = call.service();
      const bytes = await client.getAttachment(
        { task_id, attachment_id: attachment.id },
        { signal: call.signal },
      );
      await writeFile(path, Buffer.from(await bytes.arrayBuffer()), { flag: 'wx' }).catch(
        (error: NodeJS.ErrnoException) => {
          throw error.code === 'EEXIST'
            ? misuse(`${path} already exists. Pass another path with --out`)
            : error;
        },
      );
      call.out.done({ ...attachment, path }, `Saved ${path}.`);
    },
  },
];
