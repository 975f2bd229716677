import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const starts = (program: string, ...args: string[]): boolean => {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

interface Asked {
  url: string;
  authorization: string | undefined;
}

/** A real git server over HTTPS on loopback, reached as `git.example`. It is private after `demand`. */
export class HttpsHost {
  static readonly isAvailable = starts('openssl', 'version') && starts('git', '--version');
  static readonly hostName = 'git.example';

  readonly #folder = mkdtempSync(join(tmpdir(), 'guildhall-https-'));
  readonly certificate = join(this.#folder, 'certificate.pem');
  readonly asked: Asked[] = [];
  #server!: Server;
  #token: string | undefined;
  /** Redirects every request to this address. */
  redirect: string | undefined;
  /** The body of a refusal. A real host may repeat parts of the request. */
  refusal: (request: IncomingMessage) => string = () => 'No';
  /** Called while a client waits for its answer. */
  onRequest: () => void = () => {};

  static async start(): Promise<HttpsHost> {
    const host = new HttpsHost();
    const key = join(host.#folder, 'key.pem');
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-keyout', key, '-out', host.certificate, '-subj', `/CN=${HttpsHost.hostName}`],
        ...['-addext', `subjectAltName=DNS:${HttpsHost.hostName}`],
      ],
      { stdio: 'ignore' },
    );
    const pair = { key: readFileSync(key), cert: readFileSync(host.certificate) };
    host.#server = createServer(pair, (request, answer) => host.#answer(request, answer));
    await new Promise<void>((resolve) => host.#server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** The address of a repository in a local folder. */
  urlOf(folder: string): string {
    return `https://${HttpsHost.hostName}:${this.port}${folder}`;
  }

  /** From now on only these credentials are accepted. */
  demand(username: string, token: string): void {
    this.#token = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answer(request: IncomingMessage, answer: ServerResponse): void {
    const { authorization } = request.headers;
    this.asked.push({ url: request.url!, authorization });
    this.onRequest();
    if (this.redirect !== undefined) answer.writeHead(302, { location: this.redirect + request.url }).end();
    else if (this.#token !== undefined && authorization !== this.#token)
      answer
        .writeHead(authorization ? 403 : 401, {
          'content-type': 'text/plain',
          'www-authenticate': 'Basic realm="git"',
        })
        .end(this.refusal(request));
    else this.#run(request, answer);
  }

  #run(request: IncomingMessage, answer: ServerResponse): void {
    const { pathname, search } = new URL(request.url!, 'https://git.example');
    const program = spawn('git', ['-c', 'safe.directory=*', '-c', 'http.receivepack=true', 'http-backend'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_PROJECT_ROOT: '/',
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method!,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        CONTENT_LENGTH: request.headers['content-length'] ?? '',
        HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    program.stdin.on('error', () => {});
    request.pipe(program.stdin);
    const chunks: Buffer[] = [];
    program.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    program.once('close', () => {
      const whole = Buffer.concat(chunks);
      const end = whole.indexOf('\r\n\r\n');
      const headers = whole.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
      let status = 200;
      for (const line of headers) {
        const [name = '', value = ''] = line.split(/:\s*/, 2);
        if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
        else if (name !== '') answer.setHeader(name, value);
      }
      answer.writeHead(status).end(whole.subarray(end + 4));
    });
  }
}
