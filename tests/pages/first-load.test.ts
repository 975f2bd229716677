import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePages } from './browser.js';

const dist = join(import.meta.dirname, '../../dist/dashboard');

/** The scripts that a browser loads before the first render: the entry and all its static imports. */
function listFirstScripts(): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const text = readFileSync(join(dist, 'assets', name), 'utf8');
    for (const [, other] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) visit(other!);
  };
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  for (const [, name] of page.matchAll(/(?:src|href)="\/assets\/([\w.-]+\.js)"/g)) visit(name!);
  return [...found];
}

describePages('First page load', () => {
  it('loads less than 150 KB of compressed script', () => {
    const scripts = listFirstScripts();
    const bytes = scripts.reduce((sum, name) => sum + statSync(join(dist, 'assets', `${name}.br`)).size, 0);
    expect(scripts.length).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(150 * 1024);
  });
});
