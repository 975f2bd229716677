import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

const run = promisify(execFile);
const VERSION = '23.0.2';
const FILE = 'api.github.com.json';
/** Too large to be a dependency, so it is downloaded once per machine. */
const cache = join(tmpdir(), `guildhall-github-description-${VERSION}`);

type Schema = Record<string, unknown>;

interface Operation {
  parameters?: Schema[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema }> }>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Schema> };
  'x-webhooks': Record<string, { post: Operation }>;
}

export interface Exchange {
  method: string;
  /** Relative to the API address, with the query. */
  path: string;
  sent: unknown;
  status: number;
  answered: unknown;
}

/** Returns GitHub's published OpenAPI description, or undefined if the registry is unreachable. */
export async function fetchGithubDescription(): Promise<Description | undefined> {
  const file = join(cache, FILE);
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, 'fetching-'));
    try {
      await run('npm', ['pack', `@octokit/openapi@${VERSION}`, '--silent'], {
        cwd: folder,
        timeout: 240_000,
      });
      const member = `package/generated/${FILE}`;
      await run('tar', ['xzf', `octokit-openapi-${VERSION}.tgz`, member], { cwd: folder, timeout: 120_000 });
      renameSync(join(folder, member), file);
    } catch {
      return undefined;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Description;
}

/** Reports where requests and answers differ from the description. */
export function createExchangeJudge(description: Description) {
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false, validateFormats: true });
  formats.default(ajv);
  ajv.addFormat('repo.nwo', true);
  ajv.addSchema({ $id: 'github', components: plain(description.components) } as Schema);
  const compiled = new Map<Schema, ValidateFunction>();

  function flawsIn(schema: Schema, value: unknown): string[] {
    let validate = compiled.get(schema);
    if (!validate) {
      validate = ajv.compile(pointing(plain(schema)) as Schema);
      compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    return validate.errors!.slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  const resolve = (schema: Schema): Schema => {
    const [, room, name] = /^#\/components\/(\w+)\/(.+)$/.exec(String(schema['$ref'] ?? '')) ?? [];
    if (room === undefined) return schema;
    return (description.components as unknown as Record<string, Record<string, Schema>>)[room]![name!]!;
  };

  function findOperation(method: string, path: string): [template: string, Operation] | undefined {
    const parts = path.split('/');
    const fits = (template: string) => {
      const wanted = template.split('/');
      return (
        wanted.length === parts.length &&
        wanted.every((part, index) => part.startsWith('{') || part === parts[index])
      );
    };
    const found = Object.entries(description.paths).find(
      ([template, operations]) => fits(template) && operations[method.toLowerCase()],
    );
    return found && [found[0], found[1][method.toLowerCase()]!];
  }

  function flawsInQuery(operation: Operation, query: URLSearchParams): string[] {
    const known = (operation.parameters ?? []).map(resolve).filter((one) => one['in'] === 'query');
    return [...query].flatMap(([name, value]) => {
      const parameter = known.find((one) => one['name'] === name);
      if (!parameter) return [`asks with ${name}, which is not described`];
      const schema = parameter['schema'] as Schema;
      const read = schema['type'] === 'integer' ? Number(value) : value;
      return flawsIn(schema, read).map((flaw) => `${name}: ${flaw}`);
    });
  }

  function flawsInAnswer(operation: Operation, status: number, answered: unknown): string[] {
    const told = operation.responses[String(status)];
    if (!told) return [401, 403, 404].includes(status) ? [] : [`answers ${status}, which is not described`];
    const { content } = resolve(told as Schema) as { content?: Record<string, { schema: Schema }> };
    const schema = content?.['application/json']?.schema;
    return schema ? flawsIn(schema, answered) : [];
  }

  return {
    /** Returns the called operation and the differences from its description. */
    judge({ method, path, sent, status, answered }: Exchange): { operation: string; flaws: string[] } {
      const url = new URL(path, 'http://host');
      const found = findOperation(method, url.pathname);
      if (!found) return { operation: `${method} ${url.pathname}`, flaws: ['is not described'] };
      const [template, operation] = found;
      const schema = operation.requestBody?.content['application/json']?.schema;
      const flaws = [
        ...flawsInQuery(operation, url.searchParams),
        ...(schema && sent !== undefined ? flawsIn(schema, sent).map((flaw) => `sent: ${flaw}`) : []),
        ...flawsInAnswer(operation, status, answered).map((flaw) => `${status}: ${flaw}`),
      ];
      return { operation: `${method} ${template}`, flaws };
    },

    /** Returns the differences between the body of a webhook and its description. */
    judgeHook(event: string, action: string, body: unknown): string[] {
      const name = `${event}-${action}`.replaceAll('_', '-');
      const told = description['x-webhooks'][name]?.post.requestBody?.content['application/json']?.schema;
      return told ? flawsIn(told, body) : [`${name} is not described`];
    },
  };
}

/** Rewrites `nullable`, which exists in OpenAPI 3.0 but not in JSON Schema. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, example: _example, examples: _examples, ...rest } = value as Schema;
  const schema = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, plain(part)]));
  return nullable === true ? { anyOf: [{ type: 'null' }, schema] } : schema;
}

/** Points references to the one schema that contains all components. */
function pointing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointing);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === '$ref' && typeof part === 'string' ? part.replace(/^#/, 'github#') : pointing(part),
    ]),
  );
}
