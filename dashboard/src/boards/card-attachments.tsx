import { useRef, useState } from 'react';
import { type Attachment, deleteAttachment, listAttachments } from '../api/attachments.js';
import { type Resource, refresh, useResource } from '../api/resource.js';
import { useIsAdmin, useSession } from '../shell/session.js';
import { Button, IconButton } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { FORMER_MEMBER } from '../ui/format.js';
import { CloseIcon, PaperclipIcon, TrashIcon } from '../ui/icons.js';
import { useToast } from '../ui/toast.js';
import type { Rights } from './board-rights.js';
import { PictureViewer } from './picture-viewer.js';
import { dropUpload, retryUpload, startUploads, type Upload, useUploads } from './uploads.js';

type Listed = Awaited<ReturnType<typeof listAttachments>>;

export const useAttachments = (cardId: string): Resource<Listed> =>
  useResource(`attachments:${cardId}`, (signal) => listAttachments(cardId, signal));

interface AttachmentsProps {
  cardId: string;
  rights: Rights;
}

export function CardAttachments({ cardId, rights }: AttachmentsProps) {
  const attachments = useAttachments(cardId);
  const uploads = useUploads(cardId).filter(({ commentId }) => commentId === undefined);
  const total = attachments.data?.total ?? 0;
  if (!rights.comment && total === 0) return null;
  return (
    <section className="attachments" aria-label="Attachments">
      <div className="attachments-head">
        <h3 tabIndex={-1}>Attachments {total > 0 && <span className="muted">{total}</span>}</h3>
        {rights.comment && <FileButton onFiles={(files) => startUploads(cardId, files)} />}
      </div>
      <Loaded of={attachments} rows={1}>
        {(data) => <AttachmentList attachments={data.attachments} rights={rights} />}
      </Loaded>
      <UploadList uploads={uploads} />
      {rights.comment && total + uploads.length === 0 && (
        <p className="muted small">Drop files here, or paste a picture.</p>
      )}
    </section>
  );
}

export function FileButton({ onFiles }: { onFiles(files: File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        data-unguarded
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // Clear the value so that choosing the same file again fires another change event.
          event.target.value = '';
        }}
      />
      <Button small tone="quiet" icon={<PaperclipIcon size={15} />} onClick={() => input.current?.click()}>
        Attach files
      </Button>
    </>
  );
}

interface ListProps {
  attachments: readonly Attachment[];
  rights: Rights;
  /** True below a comment, which already shows the author and the time. */
  ofComment?: boolean;
}

export function AttachmentList({ attachments, rights, ofComment = false }: ListProps) {
  const [viewed, setViewed] = useState<string>();
  const pictures = attachments.filter(isPicture);
  if (attachments.length === 0) return null;
  return (
    <>
      <ul className="attachment-list">
        {attachments.map((attachment) => (
          <AttachmentItem
            key={attachment.id}
            attachment={attachment}
            rights={rights}
            ofComment={ofComment}
            onView={() => setViewed(attachment.id)}
          />
        ))}
      </ul>
      {viewed && <PictureViewer pictures={pictures} first={viewed} onClose={() => setViewed(undefined)} />}
    </>
  );
}

interface ItemProps {
  attachment: Attachment;
  rights: Rights;
  ofComment: boolean;
  onView(): void;
}

function AttachmentItem({ attachment, rights, ofComment, onView }: ItemProps) {
  const { user } = useSession();
  const isAdmin = useIsAdmin();
  const [deleting, setDeleting] = useState(false);
  const toast = useToast();
  const { name, url, author } = attachment;
  const mayDelete = isAdmin || (rights.comment && author?.user_id === user.user_id);
  return (
    <li className="attachment">
      {isPicture(attachment) ? (
        <button type="button" className="attachment-thumb" aria-label={`View ${name}`} onClick={onView}>
          {/* Without a thumbnail show the file extension: the full picture may be too large for a list. */}
          {attachment.thumbnail_url ? (
            <img src={attachment.thumbnail_url} alt="" loading="lazy" />
          ) : (
            endingOf(name)
          )}
        </button>
      ) : (
        <span className="attachment-thumb" aria-hidden="true">
          {endingOf(name)}
        </span>
      )}
      <div className="attachment-text">
        <a href={url} download={isPicture(attachment) ? undefined : name} target="_blank" rel="noreferrer">
          <bdi>{name}</bdi>
        </a>
        <div className="small muted">
          {formatBytes(attachment.bytes)}
          {!ofComment && (
            <>
              {' · '}
              {author?.name ?? FORMER_MEMBER} · <Time at={attachment.created_at} />
              {attachment.comment_id && ' · in a comment'}
            </>
          )}
        </div>
      </div>
      {mayDelete && (
        <IconButton label={`Delete ${name}`} onClick={() => setDeleting(true)}>
          <TrashIcon size={16} />
        </IconButton>
      )}
      {deleting && (
        <Confirm
          title="Delete this file?"
          submit="Delete file"
          onClose={() => setDeleting(false)}
          perform={async () => {
            await deleteAttachment(attachment.task_id, attachment.id);
            document.querySelector<HTMLElement>('.attachments h3')?.focus();
            refresh(`attachments:${attachment.task_id}`);
            toast({ text: `${name} is deleted` });
          }}
        >
          <p>
            <bdi>{name}</bdi> is deleted for everyone. You cannot undo this.
          </p>
        </Confirm>
      )}
    </li>
  );
}

export function UploadList({ uploads }: { uploads: readonly Upload[] }) {
  if (uploads.length === 0) return null;
  return (
    <ul className="attachment-list" aria-label="Files on their way">
      {uploads.map((upload) => (
        <li key={upload.id} className="attachment">
          <span className="attachment-thumb" aria-hidden="true">
            {endingOf(upload.file.name)}
          </span>
          <div className="attachment-text">
            <bdi>{upload.file.name}</bdi>
            {upload.fault ? (
              <div className="small attachment-fault" role="alert">
                Not attached: {upload.fault}{' '}
                {!upload.hopeless && (
                  <button type="button" className="text-button" onClick={() => retryUpload(upload)}>
                    Try again
                  </button>
                )}
              </div>
            ) : (
              <progress value={upload.share} aria-label={`Sending ${upload.file.name}`} />
            )}
          </div>
          <IconButton
            label={upload.fault ? `Forget ${upload.file.name}` : `Cancel ${upload.file.name}`}
            onClick={() => dropUpload(upload.id)}
          >
            <CloseIcon size={16} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

const isPicture = ({ content_type }: Attachment): boolean => PICTURES.has(content_type);

/** The file extension, shown instead of a thumbnail. */
const endingOf = (name: string): string => /\.([A-Za-z0-9]{1,4})$/.exec(name)?.[1]?.toLowerCase() ?? 'file';

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 ** 2 ? `${number.format(bytes / 1024)} KB` : `${number.format(bytes / 1024 ** 2)} MB`;
}
