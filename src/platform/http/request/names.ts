import type { TSchema } from 'typebox';
import { soon } from '../../../kernel/async.js';
import { isObject } from '../../../kernel/is-object.js';
import type { PathParams, Route } from '../declaration/route.js';

/** A readable name of an object, such as the ref of a card. */
export interface Name {
  kind: string;
  text: string;
}

export interface NameFinder {
  isName(kind: string, text: string): boolean;
  /** Returns ids by `kind:text`. Names without an id are passed on unchanged. */
  find(brandId: number, names: readonly Name[]): Promise<ReadonlyMap<string, string>>;
}

export interface Places {
  kind?: string;
  isList?: boolean;
  properties?: Record<string, Places>;
  items?: Places;
}

interface ReadSchema {
  names?: string;
  properties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
}

/** More names than the largest valid request contains. */
const MOST_NAMES = 10_000;
const LONGEST_NAME = 64;

/** Replaces names where a schema with `names` expects an id. Returns undefined when no schema does. */
export function nameResolver(places: Places | undefined, finder: NameFinder) {
  if (!places) return undefined;
  return <T>(brandId: number, input: T): T | Promise<T> => {
    const names = new Map<string, Name>();
    collect(input, places, (kind, text) => {
      if (names.size < MOST_NAMES) names.set(keyOf(kind, text), { kind, text });
    });
    if (names.size === 0) return input;
    const found = finder.find(brandId, [...names.values()]);
    return soon(found, (ids) => replace(input, places, ids) as T);
  };

  function collect(value: unknown, { kind, isList, properties, items }: Places, found: Found): void {
    if (Array.isArray(value)) {
      const inner = items ?? (kind === undefined ? undefined : { kind });
      if (inner) for (const each of value) collect(each, inner, found);
    } else if (kind !== undefined && typeof value === 'string') {
      for (const text of isList ? value.split(',') : [value]) {
        const name = readName(text);
        if (name && finder.isName(kind, name)) found(kind, name);
      }
    } else if (properties && isObject(value)) {
      for (const [key, inner] of Object.entries(properties))
        if (Object.hasOwn(value, key)) collect(value[key], inner, found);
    }
  }
}

type Found = (kind: string, text: string) => void;

function replace(value: unknown, places: Places, idOf: ReadonlyMap<string, string>): unknown {
  const { kind, isList, properties, items } = places;
  if (Array.isArray(value)) {
    const inner = items ?? (kind === undefined ? undefined : { kind });
    return inner ? value.map((each) => replace(each, inner, idOf)) : value;
  }
  if (kind !== undefined && typeof value === 'string') {
    const toId = (text: string) => idOf.get(keyOf(kind, readName(text) ?? '')) ?? text;
    return isList ? value.split(',').map(toId).join(',') : toId(value);
  }
  if (!properties || !isObject(value)) return value;
  const changed = { ...value };
  for (const [key, inner] of Object.entries(properties))
    if (Object.hasOwn(changed, key)) changed[key] = replace(changed[key], inner, idOf);
  return changed;
}

export const keyOf = (kind: string, text: string): string => `${kind}:${text}`;

const readName = (text: string): string | undefined =>
  text.length > LONGEST_NAME ? undefined : text.trim().toUpperCase();

export function inputPlaces(route: Route): Places | undefined {
  const { params, query, body } = partsOf(route);
  return joinPlaces({ params, query, body });
}

/** Finds the same places for a flat list of arguments. */
export function argumentPlaces(route: Route): Places | undefined {
  const { params, query, body } = partsOf(route);
  return joinPlaces({ ...body?.properties, ...query?.properties, ...params?.properties });
}

function partsOf({ params = {}, query, body }: Route) {
  const inPath = Object.entries(params as PathParams).map(([name, { schema }]) => [name, placesIn(schema)]);
  return {
    params: joinPlaces(Object.fromEntries(inPath)),
    query: query && placesIn(query, true),
    body: body && placesIn(body),
  };
}

function placesIn(schema: TSchema, isList = false): Places | undefined {
  const { names, properties, items, anyOf = [] } = schema as ReadSchema;
  if (names !== undefined) return { kind: names, ...(isList && { isList }) };
  const inner = items && placesIn(items, isList);
  if (inner) return { items: inner };
  for (const each of anyOf) {
    const places = placesIn(each, isList);
    if (places) return places;
  }
  if (!properties) return undefined;
  return joinPlaces(
    Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, placesIn(each, isList)])),
  );
}

function joinPlaces(properties: Record<string, Places | undefined>): Places | undefined {
  const known = Object.entries(properties).filter((entry): entry is [string, Places] => Boolean(entry[1]));
  return known.length === 0 ? undefined : { properties: Object.fromEntries(known) };
}
