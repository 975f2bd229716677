import { EndpointFailed, endpointPath, parseJson, postJson } from '../outgoing/json-endpoint.js';

interface Completion {
  system: string;
  user: string;
  signal?: AbortSignal;
  timeoutMs: number;
  maxTokens?: number;
}

export interface ModelClient {
  name: string;
  /** Returns the JSON value of the response, which the caller must validate. */
  completeJson(completion: Completion): Promise<unknown>;
}

export class ModelCallFailed extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`Model call failed: ${reason}`, options);
    this.name = 'ModelCallFailed';
  }
}

interface ModelSettings {
  url?: string;
  name?: string;
  apiKey?: string;
}

const DEFAULT_NAME = 'default';
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Returns undefined when no endpoint is configured. Features then work without a model. */
export function createModelClient({
  url,
  name = DEFAULT_NAME,
  apiKey,
}: ModelSettings): ModelClient | undefined {
  if (!url) return undefined;
  return {
    name,
    async completeJson({ system, user, signal, timeoutMs, maxTokens }) {
      try {
        const answer = await postJson({
          url: endpointPath(url, 'chat/completions'),
          apiKey,
          timeoutMs,
          signal,
          maxBytes: MAX_ANSWER_BYTES,
          body: {
            model: name,
            messages: [
              { role: 'system', content: system },
              { role: 'user', content: user },
            ],
            stream: false,
            temperature: 0,
            response_format: { type: 'json_object' },
            ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
          },
        });
        return parseJson(contentOf(answer));
      } catch (error) {
        if (error instanceof EndpointFailed) throw new ModelCallFailed(error.message, { cause: error.cause });
        throw error;
      }
    },
  };
}

function contentOf(answer: unknown): string {
  const content = (answer as { choices?: { message?: { content?: unknown } }[] } | null)?.choices?.[0]
    ?.message?.content;
  if (typeof content !== 'string') throw new EndpointFailed('the answer has no content');
  return content;
}
