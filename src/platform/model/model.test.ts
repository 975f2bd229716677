import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cosine } from '../encoder/cosine.js';
import { EmbeddingUnavailable, endpointEmbedder } from '../encoder/embedder.js';
import { createModelClient, ModelCallFailed } from './model.js';

type Answer = (response: ServerResponse, body: Record<string, unknown>) => void;

interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

let server: Server;
const endpoints: { answer: Answer; requests: Seen[] }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, number, path] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const endpoint = endpoints[Number(number)]!;
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    endpoint.requests.push({ path: path!, headers: request.headers, body });
    endpoint.answer(response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Each test has its own endpoint, so that an aborted request cannot reach the next test. */
function serve(answer: Answer) {
  const requests: Seen[] = [];
  const number = endpoints.push({ answer, requests }) - 1;
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${number}/v1`, requests };
}

const json =
  (value: unknown, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const content = (text: unknown) => json({ choices: [{ message: { role: 'assistant', content: text } }] });
const question = { system: 'You rank', user: 'which?', timeoutMs: 5_000 };

describe('Model client', () => {
  it('is undefined when no endpoint is configured', () => {
    expect(createModelClient({})).toBeUndefined();
    expect(createModelClient({ url: '', apiKey: 'k' })).toBeUndefined();
  });

  it('requests JSON from {MODEL_URL}/chat/completions without streaming and with the key', async () => {
    const { url, requests } = serve(content('{"ids": ["a"]}'));
    const client = createModelClient({ url: `${url}/`, name: 'small', apiKey: 'sk-1' })!;
    expect(await client.completeJson({ ...question, maxTokens: 50 })).toEqual({ ids: ['a'] });
    expect(requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-1', 'content-type': 'application/json' },
      body: {
        model: 'small',
        stream: false,
        response_format: { type: 'json_object' },
        max_tokens: 50,
        messages: [
          { role: 'system', content: 'You rank' },
          { role: 'user', content: 'which?' },
        ],
      },
    });
  });

  it('sends no authorization header without a key', async () => {
    const { url, requests } = serve(content('{}'));
    await createModelClient({ url })!.completeJson(question);
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  it.each<[string, Answer]>([
    ['401', json({ error: 'sk-secret is wrong' }, 401)],
    ['500', json({}, 500)],
    ['a redirect', (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['an HTML page', (response) => void response.end('<html>')],
    ['an empty body', (response) => void response.end()],
    ['null', json(null)],
    ['no choices', json({ choices: [] })],
    ['content that is not a string', content({ ids: [] })],
    ['content that is not JSON', content('Sure! Here you go')],
    ['a cut connection', (response) => void response.socket?.destroy()],
    ['more than the cap', content(JSON.stringify('x'.repeat(5 * 1024 * 1024)))],
  ])('throws ModelCallFailed without the key for %s', async (_, given) => {
    const { url } = serve(given);
    const client = createModelClient({ url, apiKey: 'sk-secret' })!;
    const failure = (await client.completeJson(question).catch((error: Error) => error)) as Error;
    expect(failure).toBeInstanceOf(ModelCallFailed);
    expect(failure.message).not.toContain('sk-secret');
  });

  it('throws ModelCallFailed after a timeout or when the caller aborts', async () => {
    const { url } = serve(() => {});
    const client = createModelClient({ url })!;
    await expect(client.completeJson({ ...question, timeoutMs: 30 })).rejects.toThrow(/in time/);
    await expect(client.completeJson({ ...question, signal: AbortSignal.abort() })).rejects.toThrow(
      ModelCallFailed,
    );
  });
});

describe('Embedding endpoint', () => {
  const vectorOf = (text: string) => [text.length, 1, 0];
  const embeddings: Answer = (response, body) => {
    const data = (body['input'] as string[]).map((text, index) => ({ index, embedding: vectorOf(text) }));
    json({ data: data.reverse() })(response, body);
  };

  it('is called in the OpenAI format and returns normalized vectors in order', async () => {
    const { url, requests } = serve(embeddings);
    const embedder = endpointEmbedder({ url, name: 'embed-1', apiKey: 'sk-2' });
    const vectors = await embedder.embed(['a', 'bbb', 'a']);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer sk-2' },
      body: { model: 'embed-1', input: ['a', 'bbb'] },
    });
    expect(vectors.map((vector) => Math.hypot(...vector))).toEqual(
      [1, 1, 1].map((one) => expect.closeTo(one, 5)),
    );
    expect(cosine(vectors[1]!, Float32Array.from(vectorOf('bbb')))).toBeCloseTo(1, 6);
    expect(embedder).toMatchObject({ modelId: 'endpoint:embed-1', dimensions: 3 });
  });

  it('is called in batches of 32 and never twice for the same text', async () => {
    const { url, requests } = serve(embeddings);
    const embedder = endpointEmbedder({ url });
    const texts = Array.from({ length: 70 }, (_, i) => `text ${i}`);
    expect(await embedder.embed(texts)).toHaveLength(70);
    expect(requests.map(({ body }) => (body['input'] as string[]).length)).toEqual([32, 32, 6]);
    await embedder.embed(texts);
    expect(requests).toHaveLength(3);
    expect(await embedder.embed([])).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['503', json({}, 503)],
    ['too few vectors', json({ data: [] })],
    ['two vectors for one text', json({ data: [0, 0].map((index) => ({ index, embedding: [1] })) })],
    [
      'the same index twice',
      (response, body) =>
        json({ data: (body['input'] as string[]).map(() => ({ index: 0, embedding: [1] })) })(response, body),
    ],
    ['vectors of text', json({ data: [{ embedding: ['a'] }, { embedding: ['b'] }] })],
    ['vectors of differing dimension', json({ data: [{ embedding: [1] }, { embedding: [1, 2] }] })],
    ['an empty vector', json({ data: [{ embedding: [] }, { embedding: [] }] })],
  ])('throws EmbeddingUnavailable for %s', async (_, given) => {
    const { url } = serve(given);
    await expect(endpointEmbedder({ url }).embed(['a', 'b'])).rejects.toThrow(EmbeddingUnavailable);
  });
});
