import { GuildhallError } from '../../../client/src/index.js';
import { AGENT_SCOPES, chooseAgentAccess } from '../agent-tokens.js';
import { wantedBy } from '../call.js';
import { type Checkout, listRemotes } from '../checkout.js';
import type { Call, Command } from '../command.js';
import { chooseAccess, chooseUrl, isStranger } from '../config.js';
import { HOW_TO_INSTALL, isInstalled } from '../connect/installed.js';
import { isConnected, listUnwired, readWay } from '../connect/wiring.js';
import { EXIT, explain } from '../failure.js';
import { resolveAgent } from '../hooks/agent.js';
import type { Program } from '../hooks/event.js';
import { listFailures } from '../hooks/failures.js';
import { findProject } from '../projects.js';
import { openService } from '../service.js';

interface Finding {
  check: string;
  state: 'ok' | 'wrong' | 'none';
  detail: string;
  hint: string | null;
}

const PROGRAMS: Program[] = ['claude', 'codex'];
const PATIENCE_MS = 10_000;

const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail, hint: null });
const none = (check: string, detail: string, hint: string | null = null): Finding => ({
  check,
  state: 'none',
  detail,
  hint,
});
const wrong = (check: string, detail: string, hint: string | null = null): Finding => ({
  check,
  state: 'wrong',
  detail,
  hint,
});

export const doctor: Command = {
  use: 'doctor',
  about:
    'Diagnose the connection of the current repository: the sign-in, the connected programs, their agents and tokens, the hooks, and recent hook failures. Exits with 1 if a check fails.',
  examples: ['guildhall doctor', 'guildhall doctor --json'],
  async run(call) {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const checkout = call.checkout();
    const signIn = await checkSignIn(call, signal);
    const isSignedIn = signIn.every(({ state }) => state !== 'wrong');
    const findings = [
      ...signIn,
      ...(checkout ? checkWiring(call, checkout) : [none('wiring', 'Not in a git repository')]),
      ...(checkout && isSignedIn ? await checkAgents(call, checkout, signal) : []),
      ...checkFailures(call, checkout),
    ];
    const isWrong = findings.some(({ state }) => state === 'wrong');
    if (call.out.isData) call.out.data({ ok: !isWrong, checks: findings });
    else {
      call.out.list(findings, [
        { title: 'check', of: ({ check }) => check },
        { title: 'state', of: ({ state }) => state },
        { title: 'detail', of: ({ detail }) => detail },
      ]);
      for (const hint of new Set(findings.map((each) => each.hint))) if (hint) call.out.note(hint);
    }
    if (isWrong) process.exitCode = EXIT.failure;
  },
};

function adviseProject(checkout: Checkout): string {
  const [remote] = listRemotes(checkout);
  return `Lessons need a project. Create one with: guildhall projects create <name> --repository ${remote ?? '<address>'}`;
}

async function checkSignIn(call: Call, signal: AbortSignal): Promise<Finding[]> {
  try {
    const wanted = wantedBy(call);
    const { url, token } = chooseAccess(wanted);
    const { client } = call.service();
    const [me, { kind, scopes, expires_at }] = await Promise.all([
      client.getMe({}, { signal }),
      client.getCredential({}, { signal }),
    ]);
    const signedIn = ok('sign-in', `${me.user.email} in ${me.brand.name} at ${url}`);
    // A session has no scopes. checkAgent checks the tokens of programs.
    if (token === undefined) return [signedIn];
    const lacking = kind === 'pat' ? listLacking(scopes) : [];
    if (lacking.length > 0)
      return [
        signedIn,
        wrong(
          'token',
          `The token lacks the scopes ${lacking.join(', ')}`,
          'Create a token with these scopes and sign in with it.',
        ),
      ];
    return [
      signedIn,
      ok('token', expires_at ? `Expires at ${expires_at}` : 'The token has all scopes that agents need'),
    ];
  } catch (error) {
    call.signal.throwIfAborted();
    if (signal.aborted)
      return [
        wrong(
          'sign-in',
          'The service did not respond in time',
          'Check the server address with: guildhall context',
        ),
      ];
    const { message, hint } = explain(error);
    return [wrong('sign-in', message, hint ?? null)];
  }
}

function checkWiring(call: Call, checkout: Checkout): Finding[] {
  const wanted = wantedBy(call);
  const connected = PROGRAMS.filter((program) => isConnected(checkout, program));
  if (connected.length === 0)
    return [none('wiring', 'No program is connected', 'Connect one with: guildhall connect claude')];
  const url = chooseUrl(wanted);
  const findings = connected.flatMap((program): Finding[] => {
    if (url === undefined || isStranger(wanted)) return [];
    const unwired = listUnwired(checkout, program, url);
    return [
      unwired.length === 0
        ? ok(`wiring of ${program}`, `Connected to ${url}`)
        : wrong(
            `wiring of ${program}`,
            `Missing or outdated entries for ${url} in ${unwired.join(', ')}`,
            `Update them with: guildhall connect ${program}`,
          ),
      ...(readWay(checkout, program) === 'token' && !call.env['GUILDHALL_TOKEN']
        ? [
            wrong(
              `token of ${program}`,
              'The MCP entry reads GUILDHALL_TOKEN, which is not set',
              `Export GUILDHALL_TOKEN, or sign in with guildhall login --email you@example.com and run guildhall connect ${program} to create a token.`,
            ),
          ]
        : []),
    ];
  });
  const hooks = isInstalled(call.env)
    ? ok('hooks', 'guildhall is on the PATH')
    : wrong('hooks', 'guildhall is not on your PATH, so the hooks cannot run', HOW_TO_INSTALL);
  return [...findings, hooks];
}

const listLacking = (scopes: readonly string[]) => AGENT_SCOPES.filter((scope) => !scopes.includes(scope));

/** Checks which agent a program acts as here, and whether its token belongs to that agent. */
async function checkAgent(
  call: Call,
  checkout: Checkout,
  program: Program,
  signal: AbortSignal,
): Promise<Finding> {
  const check = `agent of ${program}`;
  const connectAgain = `guildhall connect ${program}`;
  const access = chooseAgentAccess(wantedBy(call), { checkout, program });
  const service = openService(access, call.env);
  const found = await Promise.all([
    resolveAgent(checkout, program, service, signal),
    service.client.getCredential({}, { signal }),
  ]).catch((error: unknown) => {
    if (access.own && error instanceof GuildhallError && error.status === 401) return undefined;
    throw error;
  });
  if (!found) return wrong(check, 'The token is no longer valid', `Create a new one with: ${connectAgain}`);
  const [agent, { agent_id, scopes }] = found;
  if (access.token === undefined)
    return wrong(check, `${agent} has no token`, `Create one with: ${connectAgain}`);
  const lacking = listLacking(scopes);
  if (access.own && lacking.length > 0)
    return wrong(
      check,
      `The token of ${agent} lacks the scopes ${lacking.join(', ')}`,
      `Create a new one with: ${connectAgain}`,
    );
  if (agent_id === agent) return ok(check, `${agent}, with its own token`);
  const isExported = access.context === undefined;
  if (agent_id !== null)
    return wrong(
      check,
      `The token belongs to the agent ${agent_id}, but the agent of this repository is ${agent}`,
      isExported
        ? `Unset GUILDHALL_TOKEN in this repository, then run: ${connectAgain}`
        : `Sign in with guildhall login --email you@example.com, then run: ${connectAgain}`,
    );
  return {
    ...ok(check, `${agent}, with your credentials`),
    hint: adviseOwnToken(access.own !== undefined, connectAgain),
  };
}

const adviseOwnToken = (isKept: boolean, connectAgain: string): string =>
  isKept
    ? `After the first memory of the agent, give it its own token with: ${connectAgain}`
    : `To give the agent its own token, sign in with guildhall login --email you@example.com, then run: ${connectAgain}`;

async function checkAgents(call: Call, checkout: Checkout, signal: AbortSignal): Promise<Finding[]> {
  const service = call.service();
  const connected = PROGRAMS.filter((program) => isConnected(checkout, program));
  const attempt = async (check: string, find: () => Promise<Finding>): Promise<Finding> => {
    try {
      return await find();
    } catch (error) {
      call.signal.throwIfAborted();
      const { message, hint } = explain(error);
      return wrong(check, message, hint ?? null);
    }
  };
  const agents = connected.map((program) =>
    attempt(`agent of ${program}`, () => checkAgent(call, checkout, program, signal)),
  );
  const project = attempt('project', async () => {
    const id = await findProject(checkout, service.client, signal);
    return id === undefined
      ? none('project', 'No project uses this repository', adviseProject(checkout))
      : ok('project', id);
  });
  return Promise.all([...agents, project]);
}

function checkFailures(call: Call, checkout: Checkout | undefined): Finding[] {
  const failures = listFailures(call.env, checkout);
  if (failures.length === 0) return [ok('last failures', 'No recent hook failures')];
  return failures.map(({ at, hook, program, repository, sentence }) =>
    wrong(
      'last failures',
      `${at.slice(0, 16).replace('T', ' ')} ${hook} of ${program}${checkout ? '' : ` in ${repository}`}: ${sentence}`,
      'A failure is cleared when its hook next succeeds.',
    ),
  );
}
