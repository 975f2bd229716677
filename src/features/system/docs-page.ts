import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Copied from swagger-ui-dist by the build, so that nobody who installs Guildhall installs that package. */
const FOLDER = new URL('./swagger-ui/', import.meta.url);

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const STARTER = `window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'none', filter: true, validatorUrl: null, persistAuthorization: false });`;
const STARTER_HASH = createHash('sha256').update(STARTER).digest('base64');

export const DOCS_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Guildhall API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<noscript>The interactive page needs JavaScript; the same facts are in <a href="/openapi.json">openapi.json</a>.</noscript>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script>${STARTER}</script>
</body>
</html>
`;

export const DOCS_POLICY = `default-src 'none'; script-src 'self' 'sha256-${STARTER_HASH}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

export async function readDocsAsset(
  name: string,
): Promise<{ bytes: Buffer; contentType: string } | undefined> {
  const contentType = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
  if (!contentType) return undefined;
  return { bytes: await readFile(new URL(name, FOLDER)), contentType };
}
