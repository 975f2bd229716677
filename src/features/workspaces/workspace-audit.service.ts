import { showActor } from '../../kernel/actors.js';
import { CursorCodec } from '../../kernel/cursor.js';
import type { Db } from '../../platform/database/database.js';
import { type AuditRow, workspaceAuditStore } from './workspace-audit.store.js';
import { notAnAuditCursor } from './workspaces.errors.js';
import type { WorkspaceAuditEntry } from './workspaces.schemas.js';

export type WorkspaceAuditService = ReturnType<typeof createWorkspaceAuditService>;

const PAGE = 50;

interface AuditQuery {
  actor?: number;
  action?: string;
  cursor?: string;
  limit?: number;
}

export function createWorkspaceAuditService({ db, cursorSecret }: { db: Db; cursorSecret: string }) {
  return {
    /** Newest first. A cursor is valid only in the workspace it was issued for. */
    async list(brandId: number, { actor, action, cursor, limit = PAGE }: AuditQuery) {
      const cursors = new CursorCodec(cursorSecret, `audit:${brandId}`);
      const before = cursor === undefined ? undefined : readPosition(cursors, cursor);
      const rows = await workspaceAuditStore(db, brandId).list({ actor, action, before, limit: limit + 1 });
      const page = rows.slice(0, limit);
      return {
        entries: page.map(present),
        next_cursor: rows.length > limit ? cursors.encode(page.at(-1)!.audit_id) : null,
      };
    },
  };
}

function readPosition(cursors: CursorCodec, cursor: string): number {
  const position = cursors.decode(cursor);
  if (typeof position !== 'number') throw notAnAuditCursor();
  return position;
}

const present = ({ audit_id, at, actor, ...row }: AuditRow): WorkspaceAuditEntry => ({
  id: String(audit_id),
  at: at.toISOString(),
  actor: showActor(actor),
  ...row,
});
