import { Guildhall } from '../../../client/src/index.js';
import { wantedBy } from '../call.js';
import type { Call, Command } from '../command.js';
import {
  type Context,
  chooseUrl,
  getContext,
  isStranger,
  nameContext,
  readUrl,
  USUAL_URL,
  writeConfig,
} from '../config.js';
import { revoke } from '../connect/own-token.js';
import { misuse } from '../failure.js';
import { readPiped } from '../input.js';
import { ask, canAsk, confirmStranger } from '../prompt.js';
import { withCookie } from '../service.js';

export const login: Command = {
  use: 'login',
  about:
    'Sign in to a server, with your email address (--email) or with a personal access token. Asks which one on a terminal. Stores the credentials in a file that only you can read.',
  examples: [
    'guildhall login --url https://guildhall.example',
    'guildhall login --url https://guildhall.example --email you@example.com',
    'guildhall login --url https://guildhall.example --token - < token.txt',
  ],
  options: [
    ['--url <address>', `The server address; default: the current server, or ${USUAL_URL}`],
    ['--token <->', 'Read the token from standard input; the value must be -'],
    ['--email <address>', 'Sign in with this email address and your password'],
    ['--password <->', 'Read the password from standard input; the value must be -'],
    ['--name <name>', 'The name of the context; default: server/workspace'],
  ],
  async run(call) {
    const { options, env } = call;
    const url = await chooseServer(call);
    const email = await chooseEmail(call);
    const context = email ? await signInPerson(call, url, email) : await takeToken(call, url);
    const { config } = call;
    const name = options.text('name') ?? nameContext(url, context.workspace ?? 'workspace');
    // The same person keeps an existing token next to a new session, and the reverse.
    const known = config.contexts[name];
    const isTheirs = known?.url === url && (known.user === undefined || known.user === context.user);
    const before = isTheirs ? known : undefined;
    config.contexts[name] = { ...before, ...context };
    writeConfig(env, { ...config, current: name });
    call.out.done(
      { context: name, url, user: context.user, workspace: context.workspace, brand_id: context.brand_id },
      `Signed in to ${context.workspace} at ${url} as ${context.user}. Context: ${name}.`,
    );
  },
};

/** Asks before using an address that only guildhall.json names, so that nothing is sent to it unasked. */
async function chooseServer(call: Call): Promise<string> {
  const named = call.options.text('url');
  const wanted = wantedBy(call);
  const url = readUrl(named ?? chooseUrl(wanted) ?? USUAL_URL);
  if (named === undefined && isStranger(wanted))
    await confirmStranger(
      url,
      'Sign in there?',
      `To sign in to this server, run: guildhall login --url ${url}`,
    );
  return url;
}

/** Accepts only `-`: a value would be visible in the shell history and the process list. */
function refuseValue(call: Call, flag: string): boolean {
  const value = call.options.text(flag);
  if (value === undefined) return false;
  if (value === '-') return true;
  throw misuse(
    `The ${flag} cannot be passed on the command line, where others can read it`,
    `Pipe it in: guildhall login --${flag} - < file`,
  );
}

async function readSecret(call: Call, flag: string, question: string): Promise<string> {
  const isPiped = refuseValue(call, flag);
  if (!isPiped && !canAsk()) throw misuse(`Entering the ${flag} needs a terminal`, `Pipe it in: --${flag} -`);
  const secret = (isPiped ? await readPiped(call.signal) : await ask(question, { hidden: true })).trim();
  if (secret === '') throw misuse(`The ${flag} is empty`);
  return secret;
}

async function takeToken(call: Call, url: string): Promise<Context> {
  const token = await readSecret(call, 'token', `Personal access token for ${url}: `);
  if (!/^[\x21-\x7e]{1,500}$/.test(token))
    throw misuse('Not a valid token: use one word of visible characters');
  const { user, brand } = await new Guildhall({ url, token }).getMe({}, { signal: call.signal });
  return { url, token, brand_id: brand.brand_id, workspace: brand.name, user: user.email };
}

/** A new user has an email address and a password, but no token yet. */
async function chooseEmail({ options }: Call): Promise<string | undefined> {
  const isSaid = options.text('email') !== undefined || options.text('token') !== undefined;
  return isSaid || !canAsk() ? options.text('email') : ask('Email (leave empty to use an access token): ');
}

async function signInPerson(call: Call, url: string, email: string): Promise<Context> {
  refuseValue(call, 'token');
  const password = await readSecret(call, 'password', `Password for ${email}: `);
  let session: string | undefined;
  const keepCookie = (response: Response) => {
    const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]!);
    if (cookies.length > 0) session = cookies.join('; ');
  };
  const client = new Guildhall({ url });
  const options = { signal: call.signal, onResponse: keepCookie };
  const answer: object = await client.signIn({ email, password }, options);
  if ('challenge' in answer) {
    if (!canAsk())
      throw misuse('This account needs an authenticator code, which must be entered on a terminal');
    const code = await ask('Authenticator code: ');
    await client.answerSignInChallenge({ challenge: String(answer.challenge), code }, options);
  }
  const me = await new Guildhall({ url, fetch: withCookie(session ?? '') }).getMe(
    {},
    { signal: call.signal },
  );
  return {
    url,
    session: session ?? '',
    brand_id: me.brand.brand_id,
    workspace: me.brand.name,
    user: me.user.email,
  };
}

/** The longest that signing out waits for a slow server. */
const SIGN_OUT_MS = 5000;

export const logout: Command = {
  use: 'logout',
  about:
    'Sign out of the current context, or of --context. Ends the session and revokes the tokens that connect created for agents.',
  examples: ['guildhall logout', 'guildhall logout --context guildhall.example/acme'],
  options: [['--all', 'Sign out of all contexts']],
  async run(call) {
    const { config, options, env } = call;
    const named = options.text('context');
    if (named !== undefined) getContext(config, named);
    const names = options.flag('all') ? Object.keys(config.contexts) : [named ?? config.current];
    const known = names.filter(
      (name): name is string => name !== undefined && Object.hasOwn(config.contexts, name),
    );
    if (known.length === 0) return call.out.done({ forgotten: [] }, 'You were not signed in.');
    for (const name of known) {
      const { url, session, agents = [] } = config.contexts[name]!;
      // Signing out works even when the server cannot be reached.
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(SIGN_OUT_MS)]);
      const ended = agents.map((kept) => revoke(call, { context: name, kept }, signal).catch(() => false));
      await Promise.all(ended);
      if (session)
        await new Guildhall({ url, fetch: withCookie(session) }).signOut({}, { signal }).catch(() => {});
      delete config.contexts[name];
    }
    const { current, ...rest } = config;
    const next =
      current !== undefined && config.contexts[current] ? current : Object.keys(config.contexts)[0];
    writeConfig(env, { ...rest, ...(next !== undefined && { current: next }) });
    call.out.done({ forgotten: known }, `Signed out of ${known.join(', ')}.`);
  },
};

export const whoami: Command = {
  use: 'whoami',
  about: 'Show the server, your account, and the permissions of your credential.',
  examples: ['guildhall whoami', 'guildhall whoami --json role,scopes'],
  async run(call) {
    const { client, url } = call.service();
    const [me, credential] = await Promise.all([
      client.getMe({}, { signal: call.signal }),
      client.getCredential({}, { signal: call.signal }),
    ]);
    const facts = {
      url,
      user: me.user.email,
      name: me.user.full_name,
      agent: me.agent?.name ?? null,
      agent_id: me.agent?.agent_id ?? null,
      workspace: me.brand.name,
      brand_id: me.brand.brand_id,
      plan: me.brand.plan,
      role: credential.role,
      credential: credential.kind,
      scopes: credential.scopes,
      expires_at: credential.expires_at,
    };
    call.out.record(facts, Object.entries(facts));
  },
};
