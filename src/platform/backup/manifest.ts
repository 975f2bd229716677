import type { DumpedSequence } from '../database/dump/dump.js';
import type { DumpedTable } from '../database/dump/load.js';
import type { AppliedMigration } from '../database/schema/migrate.js';
import { Refusal } from './refusal.js';

/** How a backup is laid out. A reader takes this one and those before it. */
export const FORMAT = 1;

export const MANIFEST = 'manifest.json';
/** The last entry: the digest of every byte before it. */
export const SEAL = 'archive.sha256';
export const FILES = 'files/';

export interface Member {
  name: string;
  size: number;
  sha256: string;
}

/** A table, and in how many parts its rows are kept. */
export interface KeptTable extends DumpedTable {
  parts: number;
}

export interface Manifest {
  format: number;
  /** The version of the program that made it. */
  guildhall: string;
  /** The moment whose state it holds. */
  made_at: string;
  database: {
    server: string;
    migrations: AppliedMigration[];
    tables: KeptTable[];
    sequences: DumpedSequence[];
  };
  /** What belongs to the installation and lies elsewhere. */
  left_out: string[];
  members: Member[];
}

export const partName = ({ table }: { table: [string, string] }, part: number): string =>
  `database/${table.join('.')}/${String(part).padStart(6, '0')}.gz`;

export function parseManifest(text: string): Manifest {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new Refusal('This is no backup of Guildhall: its manifest cannot be read.');
  }
  if (!Number.isInteger(manifest?.format))
    throw new Refusal('This is no backup of Guildhall: its manifest has no format.');
  if (manifest.format > FORMAT)
    throw new Refusal(
      `This backup was made by a newer Guildhall (${manifest.guildhall}): restore it with that version or a later one.`,
    );
  return manifest;
}
