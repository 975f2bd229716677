import { isGeneratedPath } from './file-kinds.js';
import type { ProgramLanguage } from './languages.js';

const TEST_FOLDER = /(^|\/)(__tests__|tests?|specs?|e2e|integration[-_]tests?|unit[-_]tests?|testing)\//i;
const RUNNABLE: Partial<Record<ProgramLanguage, RegExp>> = {
  javascript:
    /(^|\/)__tests__\/|(^|\/)[^/]*[._-](test|spec|e2e|cy)\.\w+$|(^|\/)(test|tests|spec|e2e)\/|(^|\/)tests?\.\w+$/i,
  python: /(^|\/)(test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$/,
  go: /_test\.go$/,
  java: /(^|\/)src\/(test|it|integrationTest|androidTest)\/|(^|\/)[^/]*(Tests?|IT|Spec|TestCase)\.\w+$|(^|\/)Test[A-Z][^/]*\.\w+$/,
  ruby: /(^|\/)(spec|test)\/.*\.rb$|_(spec|test)\.rb$|(^|\/)test_[^/]*\.rb$/,
  php: /(^|\/)tests?\/.*\.php$|(Test|Cest|Spec)\.php$/i,
  c_sharp: /(^|\/)[^/]*Tests?(\.[^/]*)?\/|(Tests?|Spec|Specs|Fixture)\.cs$/,
};
/** By its name alone, of whatever language it is. */
const TEST_NAME =
  /(^|\/)(test_[^/]+|[^/]+[._-](test|tests|spec|specs|e2e|cy)\.[^/.]+|[^/]+(Test|Tests|Spec|Cest)\.[A-Za-z]+|[^/]+\.(feature|bats|robot|snap))$/;

/** Whether the tests of a file would be found there by whatever runs them. */
export function mayRunTests(path: string, language: ProgramLanguage): boolean {
  if (/\.(bak|orig|old|disabled|skip|txt)$/i.test(path)) return false;
  // What stands beside the code itself, or wherever its build file says.
  if (language === 'rust' || language === 'c' || language === 'cpp') return true;
  return RUNNABLE[language]!.test(path);
}

/** A file that is there for tests: they themselves, or what they use. */
export const isTestPath = (path: string): boolean =>
  TEST_NAME.test(path) || TEST_FOLDER.test(path) || /(^|\/)conftest\.py$/.test(path);

/** A file that says by its name that it is a test. */
export const isNamedTest = (path: string): boolean => TEST_NAME.test(path) && !isGeneratedPath(path);
