import { useEffect, useState } from 'react';
import { IconButton } from '../ui/button.js';
import { CloseIcon } from '../ui/icons.js';
import type { Rights } from './board-rights.js';
import { AttachmentList, formatBytes, UploadList, useAttachments } from './card-attachments.js';
import { useUploads } from './uploads.js';

export function WaitingFiles({ files, onChange }: { files: readonly File[]; onChange(files: File[]): void }) {
  if (files.length === 0) return null;
  return (
    <ul className="waiting-files" aria-label="Files of the comment">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may be called alike
        <li key={index}>
          <Preview file={file} />
          <bdi>{file.name}</bdi> <span className="muted small">{formatBytes(file.size)}</span>
          <IconButton
            label={`Remove ${file.name}`}
            onClick={() => onChange(files.filter((each) => each !== file))}
          >
            <CloseIcon size={14} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function Preview({ file }: { file: File }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!/^image\/(png|jpeg|gif|webp|avif)$/.test(file.type)) return;
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return address ? <img src={address} alt="" /> : null;
}

interface FilesProps {
  cardId: string;
  commentId: string;
  rights: Rights;
}

export function CommentFiles({ cardId, commentId, rights }: FilesProps) {
  const { data } = useAttachments(cardId);
  const own = data?.attachments.filter(({ comment_id }) => comment_id === commentId) ?? [];
  const uploads = useUploads(cardId).filter((upload) => upload.commentId === commentId);
  return (
    <>
      <AttachmentList attachments={own} rights={rights} ofComment />
      <UploadList uploads={uploads} />
    </>
  );
}
