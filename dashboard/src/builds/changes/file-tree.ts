export interface TreeFile {
  kind: 'file';
  path: string;
  name: string;
}

export interface TreeFolder {
  kind: 'folder';
  /** Ends with a slash to differ from a file of the same name. */
  path: string;
  name: string;
  children: TreeNode[];
  /** All files in it, including nested folders. */
  files: string[];
}

export type TreeNode = TreeFile | TreeFolder;

/** Folders that contain a single folder are shown in one row, such as `src/features`. */
export function buildTree(paths: readonly string[]): TreeNode[] {
  return childrenOf('', paths);
}

function childrenOf(above: string, paths: readonly string[]): TreeNode[] {
  const folders = new Map<string, string[]>();
  const files: TreeFile[] = [];
  for (const path of paths) {
    const end = path.indexOf('/', above.length);
    if (end < 0) files.push({ kind: 'file', path, name: path.slice(above.length) });
    else {
      const folder = path.slice(0, end + 1);
      const within = folders.get(folder);
      if (within) within.push(path);
      else folders.set(folder, [path]);
    }
  }
  const nodes = [...folders].map(([path, within]) => joined(above, path, within));
  return [...nodes.sort(byName), ...files.sort(byName)];
}

function joined(above: string, path: string, files: string[]): TreeFolder {
  const children = childrenOf(path, files);
  const [only] = children;
  if (children.length === 1 && only?.kind === 'folder')
    return { ...only, name: `${path.slice(above.length)}${only.name}` };
  return { kind: 'folder', path, name: path.slice(above.length, -1), children, files };
}

const byName = (a: TreeNode, b: TreeNode): number =>
  a.name.localeCompare(b.name, 'en', { numeric: true }) || (a.path < b.path ? -1 : 1);

export interface TreeRow {
  node: TreeNode;
  level: number;
  /** Position among its siblings, starting at 1. */
  place: number;
  siblings: number;
}

export function rowsOf(
  nodes: readonly TreeNode[],
  isFolded: (path: string) => boolean,
  level = 1,
): TreeRow[] {
  return nodes.flatMap((node, at) => [
    { node, level, place: at + 1, siblings: nodes.length },
    ...(node.kind === 'folder' && !isFolded(node.path) ? rowsOf(node.children, isFolded, level + 1) : []),
  ]);
}

export const foldersIn = (nodes: readonly TreeNode[]): string[] =>
  nodes.flatMap((node) => (node.kind === 'folder' ? [node.path, ...foldersIn(node.children)] : []));

export const filesIn = (nodes: readonly TreeNode[]): string[] =>
  nodes.flatMap((node) => (node.kind === 'folder' ? filesIn(node.children) : [node.path]));
