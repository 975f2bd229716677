import type { ThemeRegistration } from '@shikijs/primitive';

/** Token kinds by TextMate scope; later entries win. */
const SCOPES: readonly [kind: string, scopes: string[]][] = [
  ['comment', ['comment', 'punctuation.definition.comment']],
  ['string', ['string', 'punctuation.definition.string', 'markup.inline.raw', 'string.regexp']],
  [
    'number',
    [
      'constant.numeric',
      'constant.language',
      'constant.character',
      'constant.other',
      'variable.other.constant',
    ],
  ],
  [
    'keyword',
    [
      'keyword',
      'storage',
      'variable.language',
      'punctuation.definition.template-expression',
      'markup.heading',
      'entity.name.tag.yaml',
    ],
  ],
  ['plain', ['keyword.operator', 'storage.type.function.arrow', 'meta.template.expression']],
  [
    'keyword',
    [
      'keyword.operator.new',
      'keyword.operator.expression',
      'keyword.operator.logical.python',
      'keyword.other',
    ],
  ],
  [
    'function',
    ['entity.name.function', 'support.function', 'meta.function-call.generic', 'entity.name.command'],
  ],
  [
    'type',
    [
      'entity.name.type',
      'entity.name.class',
      'entity.other.inherited-class',
      'support.type',
      'support.class',
    ],
  ],
  [
    'tag',
    ['entity.name.tag', 'entity.name.section', 'support.type.property-name', 'variable.other.property'],
  ],
  ['attribute', ['entity.other.attribute-name', 'meta.decorator', 'punctuation.decorator']],
];

const numberOf = (at: number): string => `#${String(at + 1).padStart(6, '0')}`;

/** Encodes the token kind as a color number; the page's stylesheet maps kinds to real colors. */
export const THEME: ThemeRegistration = {
  name: 'kinds',
  type: 'light',
  fg: '#000000',
  bg: '#ffffff',
  settings: SCOPES.map(([, scope], at) => ({ scope, settings: { foreground: numberOf(at) } })),
};

export const kindOf = (colour: string | undefined): string | undefined => {
  const kind = SCOPES[Number(colour?.slice(1)) - 1]?.[0];
  return kind === 'plain' ? undefined : kind;
};
