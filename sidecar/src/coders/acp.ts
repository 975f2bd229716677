import {
  type AnyMessage,
  type AuthMethod,
  type ClientConnection,
  client,
  type McpServer,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  RequestError,
  type SessionConfigOption,
} from '@agentclientprotocol/sdk';
import { SIDECAR_VERSION } from '../protocol.js';
import { isRecord, type Usage } from '../work/build-protocol.js';
import { AcpFailure, createAcpStream } from './acp-stream.js';
import { createAcpUpdates, describeTool } from './acp-updates.js';
import { asCount, clipReason, clipResult, describeExit, isCost } from './coder.js';
import {
  type CoderLink,
  type CoderSession,
  describeIgnored,
  type SettingName,
  type Verdict,
} from './driver.js';
import { findHold } from './provider-limits.js';

interface AcpOptions {
  /** Settings that the program already gets through its command or its environment. */
  taken?: readonly SettingName[];
  /** False for a program whose token counts are unreliable. */
  countsTokens?: boolean;
  /** Time limits in milliseconds for the program's answers. */
  limits?: { initialize: number; newSession: number };
}

const AUTHENTICATION_REQUIRED = -32_000;
const MOST_REMINDERS = 3;
const LIMITS = { initialize: 60_000, newSession: 120_000 };

const STOPPED: Record<string, string> = {
  refusal: 'The coder refused to continue',
  max_tokens: 'The coder reached the output token limit of its model',
  max_turn_requests: 'The coder reached the turn limit',
  cancelled: 'The coder canceled its own turn',
};

/** Speaks version 1 of the Agent Client Protocol (ACP) over a program's standard streams. */
export function openAcp(
  link: CoderLink,
  { taken = [], countsTokens = true, limits = LIMITS }: AcpOptions = {},
): CoderSession {
  const { job, now, emit, input } = link;
  const { started } = job;
  const texts: string[] = [];
  const updates = createAcpUpdates(emit);
  let connection: ClientConnection | undefined;
  let sessionId: string | undefined;
  let isReady = false;
  let isBusy = false;
  let isCanceled = false;
  let refused: string | undefined;
  let reminders = 0;
  let stopReason: string | undefined;
  let failure: string | undefined;
  let cost: number | undefined;
  let tokens: Pick<Usage, 'tokens_in' | 'tokens_out'> | undefined;

  const note = (text: string) => emit({ type: 'note', text: `${text}\n` });

  const stream = createAcpStream({
    secrets: link.secrets,
    note,
    write: input.write,
    look: readTokens,
    fail: (reason) => fail(reason),
  });

  function fail(reason: string): void {
    if (failure !== undefined || stopReason !== undefined) return;
    failure = clipReason(reason);
    stream.stop();
    note(`! ${failure}`);
    emit({ type: 'end' });
    connection?.close();
  }

  /** The stable ACP schema has no token counts, so programs report them in this field. */
  function readTokens({ result }: Record<string, unknown>): void {
    const used = isRecord(result) ? result['usage'] : undefined;
    if (!countsTokens || !isRecord(used)) return;
    tokens = {
      tokens_in:
        asCount(used['inputTokens']) + asCount(used['cachedReadTokens']) + asCount(used['cachedWriteTokens']),
      tokens_out: asCount(used['outputTokens']),
    };
  }

  const app = client({ name: 'guildhall' })
    .onNotification(methods.client.session.update, ({ params: { update, sessionId: from } }) => {
      if (update.sessionUpdate === 'usage_update') {
        if (update.cost?.currency === 'USD' && isCost(update.cost.amount)) cost = update.cost.amount;
      } else updates.take(update, sessionId !== undefined && from !== sessionId);
    })
    // Answers every session, including child sessions, because an unanswered request stalls the program.
    .onRequest(methods.client.session.requestPermission, ({ params: { toolCall, options } }) => {
      const text = describeTool(toolCall) || 'Permission';
      if (isCanceled) return { outcome: { outcome: 'cancelled' as const } };
      emit({ type: 'state', state: 'requires_action' });
      const chosen =
        options.find(({ kind }) => kind === 'allow_once') ??
        options.find(({ kind }) => kind === 'allow_always');
      const refusal = options.find(({ kind }) => kind === 'reject_once') ?? options[0];
      if (!chosen) refused = text;
      emit({ type: 'question', text, answer: chosen ? 'allowed' : 'refused' });
      emit({ type: 'state', state: 'running' });
      const optionId = (chosen ?? refusal)?.optionId;
      if (optionId === undefined) return { outcome: { outcome: 'cancelled' as const } };
      return { outcome: { outcome: 'selected' as const, optionId } };
    });

  async function start(): Promise<void> {
    connection = app.connect({
      readable: stream.readable as ReadableStream<AnyMessage>,
      writable: stream.writable as WritableStream<AnyMessage>,
    });
    const { agent } = connection;
    const initialized = await within(
      limits.initialize,
      'answer the initialize request',
      agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        // This client runs outside the cell, so it must not read files or run commands for the program.
        clientCapabilities: {},
        clientInfo: { name: 'guildhall', version: SIDECAR_VERSION },
      }),
    );
    stream.endBanner();
    const { agentInfo, agentCapabilities, authMethods, protocolVersion } = initialized;
    note(`${agentInfo?.title ?? agentInfo?.name ?? started.coder} ${agentInfo?.version ?? ''}`.trim());
    if (protocolVersion !== PROTOCOL_VERSION)
      throw new AcpFailure(
        `The coder uses version ${protocolVersion} of the protocol, but this desk supports only version ${PROTOCOL_VERSION}`,
      );
    const mcpServers = agentCapabilities?.mcpCapabilities?.http ? [guildhallTools()] : [];
    if (mcpServers.length === 0)
      note('This coder does not support MCP over HTTP, so it has no Guildhall tools');
    const session = await openSession(mcpServers, authMethods ?? []);
    sessionId = session.sessionId;
    await applySettings(session);
    isReady = true;
    await speak();
  }

  async function openSession(mcpServers: McpServer[], logins: AuthMethod[]): Promise<NewSessionResponse> {
    const { agent } = connection!;
    const open = () =>
      within(
        limits.newSession,
        'open a session',
        agent.request(methods.agent.session.new, { cwd: job.checkout, mcpServers }),
      );
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== AUTHENTICATION_REQUIRED) throw error;
      // Some programs use the API key in their environment only after this request. Other logins need a person.
      const byKey = logins.find(({ id }) => /api.?key/i.test(id));
      if (!byKey)
        throw new AcpFailure(`The coder requires a login: ${logins.map(({ name }) => name).join(', ')}`);
      const answer = agent.request(methods.agent.authenticate, { methodId: byKey.id });
      await within(limits.initialize, 'accept the API key', answer);
      return open();
    }
  }

  const guildhallTools = (): McpServer => ({
    type: 'http',
    name: 'guildhall',
    url: started.mcp.url,
    headers: [{ name: 'Authorization', value: `Bearer ${started.mcp.token}` }],
  });

  /** Sets the model and effort through session options, if the program offers them. */
  async function applySettings(session: NewSessionResponse): Promise<void> {
    let options = session.configOptions;
    const wanted = [
      ['model', 'model', job.model],
      ['effort', 'thought_level', started.settings.effort],
    ] as const;
    const applied: SettingName[] = [...taken];
    for (const [name, category, value] of wanted) {
      if (value === null || applied.includes(name)) continue;
      const option = options?.find((one) => one.category === category);
      const choice = option && findChoice(option, value);
      if (!option || choice === undefined) continue;
      try {
        // Set one at a time, because the available efforts can depend on the model.
        const answer = await connection!.agent.request(methods.agent.session.setConfigOption, {
          sessionId: sessionId!,
          configId: option.id,
          value: choice,
        });
        options = answer.configOptions;
        applied.push(name);
      } catch {
        note(`! The coder rejected the ${name} ${value}`);
      }
    }
    const ignored = describeIgnored(started.settings, applied);
    if (ignored) emit({ type: 'note', text: ignored });
  }

  /** Sends the queued prompts one at a time; the session is idle when the queue is empty. */
  async function speak(): Promise<void> {
    if (!isReady || isBusy) return;
    isBusy = true;
    while (texts.length > 0 && !isCanceled) {
      emit({ type: 'state', state: 'running' });
      const answer = await connection!.agent.request(methods.agent.session.prompt, {
        sessionId: sessionId!,
        prompt: [{ type: 'text', text: texts.shift()! }],
      });
      // Let the updates that arrived before the answer finish first.
      await new Promise(setImmediate);
      if (refused !== undefined && answer.stopReason === 'end_turn' && reminders < MOST_REMINDERS) {
        reminders += 1;
        texts.unshift(`${refused} was refused. Continue without it, or say what you need.`);
      }
      refused = undefined;
      if (texts.length === 0 || answer.stopReason !== 'end_turn') stopReason = answer.stopReason;
      if (stopReason !== undefined) break;
    }
    isBusy = false;
    emit({ type: 'state', state: 'idle' });
  }

  const guard = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      if (!isCanceled) fail(describeFailure(error));
      else emit({ type: 'end' });
    });

  void guard(start());

  return {
    longestLine: stream.longestLine,
    read: stream.read,

    send(text) {
      texts.push(text);
      void guard(speak());
    },

    cancel() {
      if (!connection || sessionId === undefined) return false;
      isCanceled = true;
      void connection.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
      return isBusy;
    },

    usage: () =>
      tokens || cost !== undefined
        ? {
            ...(tokens ?? { tokens_in: null, tokens_out: null }),
            ...(cost !== undefined && { cost_usd: cost }),
          }
        : undefined,

    judge(exit): Verdict {
      const said = updates.lastMessage();
      const result = said && { result: clipResult(said) };
      if (stopReason === 'end_turn') {
        const unchanged = said ? 'Ended without a change' : 'Ended without a change and without a word';
        return { outcome: 'succeeded', ...result, ...(!updates.isDone() && { unchanged }) };
      }
      const reason =
        failure ??
        (stopReason === undefined
          ? `The coder ended ${describeExit(exit)} and without a result`
          : (STOPPED[stopReason] ?? `The coder stopped: ${stopReason}`));
      const hold = findHold(reason, now());
      return { outcome: 'failed', reason: clipReason(reason), ...result, ...(hold && { held_until: hold }) };
    },
  };
}

/** Programs list a model by its name alone or with its provider in front. */
function findChoice(option: SessionConfigOption, wanted: string): string | undefined {
  if (option.type !== 'select') return undefined;
  const choices = option.options.flatMap((one) => ('options' in one ? one.options : [one]));
  return (
    choices.find(({ value }) => value === wanted) ??
    choices.find(
      ({ value, name }) => value.endsWith(`/${wanted}`) || name.toLowerCase() === wanted.toLowerCase(),
    )
  )?.value;
}

async function within<T>(milliseconds: number, what: string, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const reason = `The coder did not ${what} within ${milliseconds / 1000} seconds`;
    timer = setTimeout(() => reject(new AcpFailure(reason)), milliseconds);
  });
  try {
    return await Promise.race([answer, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof AcpFailure) return error.message;
  if (!(error instanceof RequestError)) return `The coder ended in the middle of its session`;
  const data = isRecord(error.data) ? error.data : {};
  const detail = data['details'] ?? data['message'];
  return `${error.message}${typeof detail === 'string' ? `: ${detail}` : ''}`;
}
