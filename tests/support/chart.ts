import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/**
 * Renders the subset of Helm that the chart uses: values, include, toYaml, quote, default, nindent, and
 * conditions without nesting. Throws on anything else, so the chart stays simple.
 */
export function renderChart(chart: string, values: object, release: string): string[] {
  const folder = join(chart, 'templates');
  const { version, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
  const context = {
    Values: values,
    Release: { Name: release },
    Chart: { Version: version, AppVersion: appVersion },
  };
  const sources = readdirSync(folder).map((name) => ({
    name,
    text: readFileSync(join(folder, name), 'utf8'),
  }));
  const parts = new Map<string, string>();
  for (const { text } of sources.filter(({ name }) => name.endsWith('.tpl')))
    for (const [, name, body] of text.matchAll(/\{\{- define "([^"]+)" \}\}(.*?)\{\{- end \}\}/gs))
      parts.set(name!, body!);

  const lookUp = (path: string): unknown =>
    path
      .slice(1)
      .split('.')
      .reduce<unknown>((value, key) => {
        if (value === null || typeof value !== 'object' || !(key in value))
          throw new Error(`${path} is no value`);
        return (value as Record<string, unknown>)[key];
      }, context);

  const evaluate = (expression: string): string => {
    const [first, ...pipes] = expression.split('|').map((part) => part.trim());
    return String(pipes.reduce<unknown>(applyPipe, begin(first!)));
  };
  const begin = (text: string): unknown => {
    const [word, argument] = text.split(/\s+/);
    if (word === 'include') return render(parts.get(argument!.slice(1, -1))!).replace(/^\n/, '');
    if (word === 'toYaml') return stringify(lookUp(argument!)).trimEnd();
    return lookUp(text);
  };
  const applyPipe = (value: unknown, pipe: string): unknown => {
    const [word, argument] = pipe.split(/\s+/);
    if (word === 'quote') return JSON.stringify(String(value));
    if (word === 'default') return value || lookUp(argument!);
    if (word !== 'nindent') throw new Error(`The chart uses ${pipe}, which is not known here`);
    return `\n${String(value).replaceAll(/^(?=.)/gm, ' '.repeat(Number(argument)))}`;
  };

  const render = (text: string): string =>
    text
      .replaceAll(/\s*\{\{- if (\S+) \}\}(.*?)\{\{- end \}\}/gs, (_, path, body) =>
        lookUp(path) ? body : '',
      )
      .replaceAll(
        /(\s*)\{\{(-?) (.+?) \}\}/g,
        (_, blank, trims, expression) => `${trims ? '' : blank}${evaluate(expression)}`,
      );

  return sources
    .filter(({ name }) => name.endsWith('.yaml'))
    .map(({ text }) => render(text))
    .filter((text) => text.trim() !== '');
}
