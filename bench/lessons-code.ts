import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A repository of generated TypeScript modules that import and call each other, about 7 KB each. */
export class GeneratedRepository {
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.git('init', '--quiet', '--initial-branch=main');
  }

  git(...args: string[]): string {
    // Automatic gc is off, because a repository that changes while it is read is read again.
    const settings = ['user.name=Bench', 'user.email=bench@example.com', 'gc.auto=0'];
    const given = settings.flatMap((setting) => ['-c', setting]);
    return execFileSync('git', [...given, ...args], { cwd: this.folder, encoding: 'utf8' }).trim();
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  commit(message: string): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '-m', message);
  }

  /** Packs the repository, as repository hosts do. */
  pack(): void {
    this.git('repack', '-a', '-d', '--quiet');
  }
}

export function modulePath(number: number): string {
  return `src/area${number % 60}/part${number % 7}/module${number}.ts`;
}

/** Modules with fewer than four functions have no class. */
export function moduleText(number: number, modules: number, count = 16): string {
  const hasClass = count >= 4;
  const others = [1, 7, 31, 113].map((step) => (number + step * 17) % modules);
  const imports = others.map(
    (other) =>
      `import { run${other}${hasClass ? `, Worker${other}` : ''} } from '../../../${modulePath(other).replace('.ts', '.js')}';`,
  );
  const functions = Array.from(
    { length: count },
    (_, index) => `/** Step ${index} of module ${number}: keeps what fits and hands the rest on. */
export function step${number}_${index}(values: readonly number[], limit: number): number[] {
  const kept: number[] = [];
  for (const value of values) {
    if (value % ${index + 2} === 0 && value < limit) kept.push(value * ${index + 1});
    else if (value > limit) kept.push(value - ${number});
  }
  return kept.length > ${index} ? ${index > 0 ? `step${number}_${index - 1}(kept, limit)` : 'kept'} : kept;
}
`,
  );
  const worker = `export class Worker${number} {
  constructor(private readonly peer: Worker${others[0]} | null) {}
  start(values: number[]): number { return this.sum(step${number}_${count - 1}(values, ${number})); }
  sum(values: number[]): number { return values.reduce((total, value) => total + value, 0); }
}

`;
  const own = hasClass
    ? `new Worker${number}(null).start(values)`
    : `step${number}_${count - 1}(values, 1).length`;
  return `${imports.join('\n')}

${functions.join('\n')}
${hasClass ? worker : ''}export function run${number}(values: number[]): number {
  return ${own} + ${others.map((other) => `run${other}(values)`).join(' + ')};
}
`;
}
