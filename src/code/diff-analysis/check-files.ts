import { diffLines } from './source-text.js';

export const OWN_CHECKS = '.guildhall/checks.yaml';

/** Every line of these files is about checks. */
const WHOLE: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\.guildhall\//, 'what has to hold of this project'],
  [
    /^\.github\/(workflows|actions)\/|^\.gitlab-ci\.ya?ml$|^\.gitlab\/ci\/|^\.circleci\/|(^|\/)azure-pipelines[^/]*\.ya?ml$|(^|\/)Jenkinsfile|^\.travis\.yml$|^bitbucket-pipelines\.yml$|^\.buildkite\/|^\.drone\.ya?ml$|^\.woodpecker|^\.ci\/|^\.teamcity\/|^appveyor\.yml$|^cloudbuild\.ya?ml$|^\.semaphore\//,
    'how the repository is checked',
  ],
  [
    /(^|\/)((vitest|jest|karma|playwright|cypress|ava|wdio|nightwatch)\.(config|conf|workspace|setup)[^/]*|\.mocharc[^/]*|\.nycrc[^/]*|\.c8rc[^/]*|pytest\.ini|tox\.ini|noxfile\.py|\.coveragerc|phpunit[^/]*\.xml(\.dist)?|\.rspec|\.simplecov|codecov\.ya?ml|\.codecov\.ya?ml|nextest\.toml|tarpaulin\.toml|[^/]*\.runsettings|CTestConfig\.cmake|behat\.ya?ml|codeception\.ya?ml)$/,
    'how tests are run',
  ],
  [
    /(^|\/)(\.?eslint(rc|\.config)[^/]*|\.eslintignore|biome\.jsonc?|\.oxlintrc[^/]*|\.golangci\.[^/]+|\.rubocop[^/]*\.yml|\.flake8|\.pylintrc|mypy\.ini|ruff\.toml|\.ruff\.toml|clippy\.toml|checkstyle[^/]*\.xml|pmd[^/]*\.xml|spotbugs[^/]*\.xml|detekt\.yml|phpstan[^/]*\.neon(\.dist)?|psalm\.xml|\.php-cs-fixer[^/]*|\.clang-tidy|stylecop\.json|\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.stylelintrc[^/]*|knip\.json|sonar-project\.properties)$|^\.husky\//,
    'what is found fault with',
  ],
  [
    /(^|\/)(scripts?|bin|ci|tools|hack|dev)\/([^/]*[-_.])?(tests?|checks?|ci|lint|verify|coverage|typecheck)([-_.][^/]*)?$|^(run[-_])?(tests?|checks?|ci|verify)\.(sh|bash|ps1|bat|cmd)$/,
    'how checks are run',
  ],
];

/** Only the lines that match the second pattern are about checks. */
const PARTS: readonly (readonly [file: RegExp, line: RegExp])[] = [
  [
    /(^|\/)package\.json$/,
    /"(?:pre|post)?(?:test|lint|check|typecheck|type-check|verify|coverage|ci|validate|format:check)[\w:.-]*"\s*:|"(?:coverageThreshold|testPathIgnorePatterns|modulePathIgnorePatterns|collectCoverageFrom|jest|mocha|ava|nyc|c8|lint-staged|husky|eslintConfig|eslintIgnore)"\s*:|\b(?:branches|functions|lines|statements)"?\s*:\s*\d/,
  ],
  [
    /(^|\/)(GNUm|M|m)akefile$|\.mk$|(^|\/)[jJ]ustfile$|(^|\/)Taskfile\.ya?ml$|(^|\/)Rakefile$|(^|\/)magefile\.go$/,
    /\b(?:tests?|checks?|lint|verify|coverage|vet|ci|pytest|jest|vitest|rspec|phpunit|ctest|clippy|spec)\b/i,
  ],
  [
    /(^|\/)(pyproject\.toml|setup\.cfg)$/,
    /\[(?:tool[.:])?(?:pytest|coverage|mypy|ruff|flake8|pylint|tox|nox)|addopts|testpaths|norecursedirs|python_files|python_functions|fail_under|ignore_errors|ignore_missing_imports|strict|disallow_|--(?:ignore|deselect)|\bomit\b|\b(?:extend-)?ignore\b|\bselect\b|filterwarnings/,
  ],
  [
    /(^|\/)[tj]sconfig[^/]*\.json$/,
    /"(?:strict\w*|no\w+|allowUnreachableCode|allowUnusedLabels|skipLibCheck|useUnknownInCatchVariables|exactOptionalPropertyTypes|exclude|checkJs|isolatedModules)"\s*:/,
  ],
  [
    /(^|\/)(pom\.xml|build\.gradle(\.kts)?|gradle\.properties)$/,
    /skipTests|maven\.test\.skip|testFailureIgnore|ignoreFailures|failOnError|failIfNoTests|<excludes?>|excludeTestsMatching|\bexclude\b|\btest\s*\{|useJUnit|jacoco|minimum|surefire|failsafe|checkstyle|spotbugs|enabled\s*=\s*false/,
  ],
  [/(^|\/)Cargo\.toml$/, /^\s*(?:test|doctest|harness|bench)\s*=|\[lints|\bexclude\b|\bclippy\b|unsafe_code/],
  [
    /(^|\/)(CMakeLists\.txt|meson\.build|BUILD(\.bazel)?|configure\.ac)$/,
    /add_test|enable_testing|gtest_|catch_discover|BUILD_TESTING|-Werror|WILL_FAIL|DISABLED|\btest\s*\(|_test\b|-Wall|-Wextra/,
  ],
  [
    /\.(cs|fs|vb)proj$|(^|\/)Directory\.Build\.(props|targets)$|(^|\/)\.editorconfig$/,
    /TreatWarningsAsErrors|WarningsAsErrors|NoWarn|IsTestProject|EnableNETAnalyzers|AnalysisLevel|dotnet_diagnostic|Threshold|Compile Remove|Nullable/,
  ],
  [/(^|\/)composer\.json$/, /"(?:tests?|check|lint|phpunit|phpstan|pest|cs)[\w:-]*"\s*:/],
  [/(^|\/)Gemfile$|\.gemspec$/, /\b(?:rspec|minitest|simplecov|rubocop)\b/],
  [
    /(^|\/)spec\/(spec|rails)_helper\.rb$|(^|\/)test\/test_helper\.rb$/,
    /filter_run|minimum_coverage|exclude_pattern|focus|SimpleCov|fail_if_no_examples|dry_run/,
  ],
  [
    /(^|\/)conftest\.py$/,
    /collect_ignore|pytest_collection_modifyitems|pytest_ignore_collect|deselect|add_marker|pytest_runtest|exitstatus|pytest_sessionfinish/,
  ],
  [/(^|\/)(go\.mod|tools\.go)$/, /golangci|staticcheck/],
  [
    /(^|\/)Dockerfile[^/]*$|(^|\/)docker-compose[^/]*\.ya?ml$/,
    /\b(?:npm (?:run )?test|npx (?:vitest|jest)|pytest|go test|cargo test|rspec|phpunit|mvn (?:test|verify)|dotnet test|ctest|make (?:test|check))\b/,
  ],
];

/** New files of these kinds are reported only when they weaken checks. */
const WEAKENING =
  /continue-on-error:\s*true|allow_failure:\s*true|\|\|\s*(?:true|:|exit 0)\b|passWithNoTests|testPathIgnorePatterns|collect_ignore|--(?:ignore|deselect|exclude|no-verify|passWithNoTests|skip)\b|skipTests|maven\.test\.skip|ignoreFailures|testFailureIgnore|\bexclude\w*\b|if:\s*(?:false|\$\{\{\s*false)|set \+e|exit 0|disable-all|"off"|fail_under\s*=\s*0|threshold\w{0,40}"?\s*[:=]\s*(?:\{\s*)?0\b/;

const LONGEST_QUOTE = 120;
const quote = (line: string): string =>
  line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;

/** Describes how a change affects checks; undefined when it does not. */
export function judgeCheckFile(
  path: string,
  before: string | null,
  after: string | null,
): string | undefined {
  const whole = WHOLE.find(([pattern]) => pattern.test(path));
  if (whole) {
    if (before === null) {
      if (path === OWN_CHECKS)
        return `${path} is new: it says what has to hold of this project from the next build on`;
      const less = after?.split('\n').find((line) => WEAKENING.test(line));
      return less === undefined ? undefined : `${path} is new and asks for less: ${quote(less.trim())}`;
    }
    return after === null
      ? `${path} is gone: it says ${whole[1]}`
      : `${path} is changed: it says ${whole[1]}`;
  }
  const part = PARTS.find(([pattern]) => pattern.test(path));
  if (!part) return undefined;
  const { added, removed } = diffLines(before ?? '', after ?? '');
  const about = (lines: readonly string[]) => lines.find((line) => part[1].test(line));
  if (before === null) {
    const less = added.find((line) => part[1].test(line) && WEAKENING.test(line));
    return less === undefined ? undefined : `${path} is new and asks for less: ${quote(less)}`;
  }
  const gone = about(removed);
  const come = about(added) ?? nearby(part, before, after, added);
  if (gone === undefined && come === undefined) return undefined;
  if (after === null) return `${path} was deleted, including: ${quote(gone!)}`;
  return `${path} changes what is checked: ${quote(come ?? gone!)}`;
}

/**
 * Also compares the lines below a changed heading, such as the recipe of a make target or the keys of a
 * section.
 */
function nearby(
  [, about]: (typeof PARTS)[number],
  before: string,
  after: string | null,
  added: readonly string[],
): string | undefined {
  const underHeadings = (text: string) => {
    const found = new Set<string>();
    let under = false;
    for (const line of text.split('\n')) {
      if (/^(?:[\w.-]+:(?!=)|\[)/.test(line)) under = about.test(line);
      else if (under && line.trim() !== '') found.add(line.trim());
    }
    return found;
  };
  if (after === null) return undefined;
  const now = underHeadings(after);
  const then = underHeadings(before);
  return added.find((line) => now.has(line)) ?? [...then].find((line) => !now.has(line));
}

/** Turns a linter, compiler or coverage tool off for a whole file. */
const SUPPRESSION =
  /\/\*\s*eslint-disable[\w@/,\s-]*\*\/|@ts-nocheck|#\s*flake8:\s*noqa|#\s*mypy:\s*ignore-errors|#\s*pylint:\s*(?:skip-file|disable=all)|#\s*type:\s*ignore\s*$|#!\[\s*allow\s*\(|\/\/\s*nolint\s*$|@SuppressWarnings\(\s*"all"|#\s*rubocop:\s*disable\s+all|@codeCoverageIgnoreStart|\/[*/]\s*(?:istanbul|c8|v8) ignore file|#pragma warning disable\s*$|biome-ignore-all/;

export const findSuppressions = (text: string): string[] =>
  text.split('\n').flatMap((line) => (SUPPRESSION.test(line) ? [line.trim()] : []));
