import { isGeneratedPath, isLockFile, isTestPath } from '../languages.js';

const LITTER =
  /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\.env(\.(?!example$|sample$|template$|dist$)\w+)?|id_rsa|id_ed25519|\.npmrc|\.pypirc|\.netrc|nohup\.out|core\.\d+|npm-debug\.log|\.idea\/.*|\.vscode\/(?!extensions\.json$).*|__pycache__\/.*|node_modules\/.*|\.venv\/.*|venv\/.*|\.pytest_cache\/.*|\.mypy_cache\/.*|\.cache\/.*)$|\.(log|tmp|temp|swp|swo|bak|orig|rej|pyc|class|o|obj|exe|dll|so|dylib|pem|key|p12|pfx|sqlite3?|db|dump|core|heapsnapshot|zip|tar|tgz|gz)$|~$/i;
/** Temporary files that coders leave behind. */
const SCRATCH =
  /^(?:(?:scratch|tmp|temp|debug|draft|notes?|todo|plan|summary|output|result|foo|bar|untitled|try|repro|test_?output|my_?test)[-_.\d]?\w*\.(?:md|txt|py|js|mjs|ts|sh|json|go|rb|php|rs|log)|(?:IMPLEMENTATION|SUMMARY|CHANGES_SUMMARY|FIX|ANALYSIS|REPORT|PLAN|NOTES)[_-]?\w*\.md)$/i;
const DOCUMENTATION =
  /(^|\/)(CHANGELOG|CHANGES|HISTORY|NEWS|README|UPGRADING)[^/]*$|(^|\/)(docs?|changelog|changelog\.d|\.changeset)\/|\.(md|rst|adoc)$/i;
const MANIFEST =
  /(^|\/)(package\.json|Cargo\.toml|pyproject\.toml|setup\.(py|cfg)|requirements[^/]*\.txt|go\.mod|go\.sum|Gemfile|composer\.json|pom\.xml|build\.gradle(\.kts)?|CMakeLists\.txt|[^/]*\.csproj|__init__\.py|index\.\w+|mod\.rs|lib\.rs)$/;

export interface TaskGround {
  named: readonly string[];
  /** Files that use a named file or are used by one. */
  near: readonly string[];
  footprint: readonly string[] | null;
}

export interface TouchedPath {
  path: string;
  from: string | null;
}

/**
 * Returns the files that are unrelated to those the card names, each with a reason. A card that names no
 * files matches everything.
 */
export function findStrays(
  touched: readonly TouchedPath[],
  ground: TaskGround,
): { path: string; why: string }[] {
  const { footprint, named } = ground;
  const isNear = nearness(ground);
  return touched.flatMap(({ path, from }) => {
    if (footprint)
      return footprint.some((place) => covers(place, path))
        ? []
        : [{ path, why: "is outside the card's footprint" }];
    if (named.some((place) => place === path || place === from)) return [];
    if (from === null && LITTER.test(path)) return [{ path, why: 'is no part of a program' }];
    if (from === null && SCRATCH.test(path)) return [{ path, why: 'looks like something left behind' }];
    if (named.length === 0 || accompanies(path) || isNear({ path, from })) return [];
    return [{ path, why: 'has nothing to do with what the card names' }];
  });
}

const covers = (place: string, path: string): boolean => {
  const folder = place.replace(/\/?\*{0,2}$/, '');
  return path === place || path.startsWith(`${folder}/`);
};

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
const stemOf = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.\w+$/, '')
    .replace(/[._-]?(tests?|specs?|stories|e2e)$/i, '')
    .replace(/^tests?[_-]/i, '')
    .toLowerCase();

/** Any change may touch these files. */
const accompanies = (path: string): boolean =>
  DOCUMENTATION.test(path) || MANIFEST.test(path) || isLockFile(path) || isGeneratedPath(path);

function nearness({ named, near }: TaskGround): (touched: TouchedPath) => boolean {
  const nearPaths = new Set(near);
  const folders: string[] = [];
  const filesByStem = new Map<string, { folder: string; isTest: boolean }[]>();
  const foldersOfFiles = new Set<string>();
  for (const place of named) {
    if (!/\.\w+$/.test(place)) {
      folders.push(place);
      continue;
    }
    const folder = folderOf(place);
    const stem = stemOf(place);
    const files = filesByStem.get(stem) ?? [];
    files.push({ folder, isTest: isTestPath(place) });
    filesByStem.set(stem, files);
    if (folder !== '') foldersOfFiles.add(folder);
  }
  return ({ path, from }) => {
    if (nearPaths.has(path) || (from !== null && nearPaths.has(from))) return true;
    const isTest = isTestPath(path);
    if (from === null && isTest) return true;
    // Nothing imports a new file yet, so a new file next to a named one counts as related.
    if (from === null && foldersOfFiles.has(folderOf(path))) return true;
    const namesakes = filesByStem.get(stemOf(path)) ?? [];
    if (namesakes.some((file) => isTest || file.isTest || file.folder === folderOf(path))) return true;
    return folders.some((place) => covers(place, path));
  };
}
