import { isGeneratedPath, isLockFile } from './generated-paths.js';
import { isTestPath } from './test-paths.js';

/** What nobody asks for, wherever it lies. */
const LITTER =
  /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\.env(\.(?!example$|sample$|template$|dist$)\w+)?|id_rsa|id_ed25519|\.npmrc|\.pypirc|\.netrc|nohup\.out|core\.\d+|npm-debug\.log|\.idea\/.*|\.vscode\/(?!extensions\.json$).*|__pycache__\/.*|node_modules\/.*|\.venv\/.*|venv\/.*|\.pytest_cache\/.*|\.mypy_cache\/.*|\.cache\/.*)$|\.(log|tmp|temp|swp|swo|bak|orig|rej|pyc|class|o|obj|exe|dll|so|dylib|pem|key|p12|pfx|sqlite3?|db|dump|core|heapsnapshot|zip|tar|tgz|gz)$|~$/i;
/** What a coder leaves beside its work. */
const SCRATCH =
  /^(?:(?:scratch|tmp|temp|debug|draft|notes?|todo|plan|summary|output|result|foo|bar|untitled|try|repro|test_?output|my_?test)[-_.\d]?\w*\.(?:md|txt|py|js|mjs|ts|sh|json|go|rb|php|rs|log)|(?:IMPLEMENTATION|SUMMARY|CHANGES_SUMMARY|FIX|ANALYSIS|REPORT|PLAN|NOTES)[_-]?\w*\.md)$/i;
const TOLD =
  /(^|\/)(CHANGELOG|CHANGES|HISTORY|NEWS|README|UPGRADING)[^/]*$|(^|\/)(docs?|changelog|changelog\.d|\.changeset)\/|\.(md|rst|adoc)$/i;
const MANIFEST =
  /(^|\/)(package\.json|Cargo\.toml|pyproject\.toml|setup\.(py|cfg)|requirements[^/]*\.txt|go\.mod|go\.sum|Gemfile|composer\.json|pom\.xml|build\.gradle(\.kts)?|CMakeLists\.txt|[^/]*\.csproj|__init__\.py|index\.\w+|mod\.rs|lib\.rs)$/;

/** Where a task takes place, as far as it says so. */
export interface TaskGround {
  /** Files and folders that the card names. */
  named: readonly string[];
  /** Files that those have to do with: whatever uses them, whatever they use. */
  near: readonly string[];
  /** What the card allows, where it says that; then nothing else counts. */
  footprint: readonly string[] | null;
}

export interface TouchedPath {
  path: string;
  added: boolean;
}

/** Files that a build touched and that its task does not ask for, each with why it stands out. */
export function findStrays(
  touched: readonly TouchedPath[],
  ground: TaskGround,
): { path: string; why: string }[] {
  const { footprint, named } = ground;
  return touched.flatMap(({ path, added }) => {
    if (footprint)
      return footprint.some((place) => covers(place, path))
        ? []
        : [{ path, why: "is outside the card's footprint" }];
    if (named.some((place) => place === path)) return [];
    if (added && LITTER.test(path)) return [{ path, why: 'is no part of a program' }];
    if (added && SCRATCH.test(path)) return [{ path, why: 'looks like something left behind' }];
    if (named.length === 0 || belongs(path, added, ground)) return [];
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

function belongs(path: string, added: boolean, { named, near }: TaskGround): boolean {
  if (TOLD.test(path) || MANIFEST.test(path) || isLockFile(path) || isGeneratedPath(path)) return true;
  if (near.includes(path)) return true;
  if (isTestPath(path) && (added || named.some((place) => stemOf(place) === stemOf(path)))) return true;
  return named.some((place) => {
    const isFile = /\.\w+$/.test(place);
    const folder = isFile ? folderOf(place) : `${place.replace(/\/$/, '')}/`;
    // Beside a file in the root of a repository is all of it.
    if (folder === '' || folder === '/') return stemOf(place) === stemOf(path);
    return path.startsWith(folder) || stemOf(place) === stemOf(path);
  });
}
