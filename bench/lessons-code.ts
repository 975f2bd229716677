import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A repository of generated TypeScript: modules that import and call each other, about 7 KB each. */
export class GeneratedRepository {
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.git('init', '--quiet', '--initial-branch=main');
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'];
    return execFileSync('git', [...identity, ...args], { cwd: this.folder, encoding: 'utf8' }).trim();
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  commit(message: string): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '-m', message);
  }
}

export function modulePath(number: number): string {
  return `src/area${number % 60}/part${number % 7}/module${number}.ts`;
}

export function moduleText(number: number, modules: number): string {
  const others = [1, 7, 31, 113].map((step) => (number + step * 17) % modules);
  const imports = others.map(
    (other) =>
      `import { run${other}, Worker${other} } from '../../../${modulePath(other).replace('.ts', '.js')}';`,
  );
  const functions = Array.from(
    { length: 16 },
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
  return `${imports.join('\n')}

${functions.join('\n')}
export class Worker${number} {
  constructor(private readonly peer: Worker${others[0]} | null) {}
  start(values: number[]): number { return this.sum(step${number}_15(values, ${number})); }
  sum(values: number[]): number { return values.reduce((total, value) => total + value, 0); }
}

export function run${number}(values: number[]): number {
  const worker = new Worker${number}(null);
  return worker.start(values) + ${others.map((other) => `run${other}(values)`).join(' + ')};
}
`;
}
