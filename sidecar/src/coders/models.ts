import { type DeskFiles, readIfThere } from '../desk-files.js';
import { parseObject } from '../work/build-protocol.js';

const KNOWN = { 'MiniMax-M3': 'minimax/MiniMax-M3' };

/** Adds the provider that programs with several providers expect; the desk's own list takes precedence. */
export function withProvider(files: Pick<DeskFiles, 'models'>, model: string | null): string | null {
  if (model === null) return null;
  const names: Record<string, unknown> = { ...KNOWN, ...parseObject(readIfThere(files.models) ?? '') };
  const name = names[model];
  return typeof name === 'string' ? name : model;
}
