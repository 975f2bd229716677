import { generateRows } from './generate-rows.js';

interface GeneratedFile {
  path: string;
  make: () => Promise<string>;
}

/** The files of the repository that are made, never written. */
export const generatedFiles: GeneratedFile[] = [
  { path: 'src/database/rows.generated.ts', make: async () => generateRows() },
  {
    path: 'openapi.json',
    make: async () => {
      // Imported late: the document's modules need the row types that may just have been written.
      const { buildOpenApi } = await import('../src/openapi-document.js');
      return `${JSON.stringify(await buildOpenApi(), null, 2)}\n`;
    },
  },
];
