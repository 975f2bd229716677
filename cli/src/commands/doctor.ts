import { wantedBy } from '../call.js';
import type { Checkout } from '../checkout.js';
import type { Call, Command } from '../command.js';
import { chooseAccess, chooseUrl, isStranger } from '../config.js';
import { isInstalled } from '../connect/installed.js';
import { isConnected, listUnwired, readWay } from '../connect/wiring.js';
import { EXIT, explain } from '../failure.js';
import { resolveAgent } from '../hooks/agent.js';
import type { Program } from '../hooks/event.js';
import { listFailures } from '../hooks/failures.js';
import { findProject } from '../projects.js';

interface Finding {
  check: string;
  state: 'ok' | 'wrong' | 'none';
  detail: string;
  /** What to do about it. */
  hint: string | null;
}

const PROGRAMS: Program[] = ['claude', 'codex'];
/** For memories, and for projects and lessons. */
const NEEDED = ['memory:read', 'memory:write', 'code:read'] as const;
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
    'Look at what connected programs need in the repository you stand in: the sign-in, the wiring, the hooks, and what they were refused last. Ends with 1 when something is wrong.',
  examples: ['guildhall doctor', 'guildhall doctor --json'],
  async run(call) {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const checkout = call.checkout();
    const signIn = await checkSignIn(call, signal);
    const isSignedIn = signIn.every(({ state }) => state !== 'wrong');
    const findings = [
      ...signIn,
      ...(checkout ? checkWiring(call, checkout) : [none('wiring', 'This is no git repository')]),
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
    if (token === undefined)
      return [
        signedIn,
        wrong('token', 'Agents need a personal access token', 'Sign in with: guildhall login --token -'),
      ];
    const lacking = kind === 'pat' ? NEEDED.filter((scope) => !scopes.includes(scope)) : [];
    if (lacking.length > 0)
      return [
        signedIn,
        wrong(
          'token',
          `It lacks the scopes ${lacking.join(', ')}`,
          'Make one that has them, and sign in with it.',
        ),
      ];
    return [
      signedIn,
      ok('token', expires_at ? `It is good until ${expires_at}` : 'It has the scopes that agents need'),
    ];
  } catch (error) {
    call.signal.throwIfAborted();
    if (signal.aborted)
      return [
        wrong(
          'sign-in',
          'The service did not answer in time',
          'See which address is asked with: guildhall context',
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
    return [none('wiring', 'No program is connected here', 'Connect one with: guildhall connect claude')];
  const url = chooseUrl(wanted);
  const findings = connected.flatMap((program): Finding[] => {
    if (url === undefined || isStranger(wanted)) return [];
    const unwired = listUnwired(checkout, program, url);
    return [
      unwired.length === 0
        ? ok(`wiring of ${program}`, `Everything is there, for ${url}`)
        : wrong(
            `wiring of ${program}`,
            `${unwired.join(', ')} does not say what it should for ${url}`,
            `Write it with: guildhall connect ${program}`,
          ),
      ...(readWay(checkout, program) === 'token' && !call.env['GUILDHALL_TOKEN']
        ? [
            wrong(
              `token of ${program}`,
              'Its MCP entry reads GUILDHALL_TOKEN, which is not exported here',
              `Export it, or use the stored sign-in with: guildhall connect ${program}`,
            ),
          ]
        : []),
    ];
  });
  const hooks = isInstalled(call.env)
    ? ok('hooks', 'guildhall is on the PATH')
    : wrong(
        'hooks',
        'They call guildhall, which is not on your PATH',
        'Install the package guildhall-cli with npm install -g.',
      );
  return [...findings, hooks];
}

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
    attempt(`agent of ${program}`, async () =>
      ok(`agent of ${program}`, await resolveAgent(checkout, program, service, signal)),
    ),
  );
  const project = attempt('project', async () => {
    const id = await findProject(checkout, service.client, signal);
    return id === undefined
      ? none('project', 'No project has this repository', 'Lessons need one: guildhall projects create')
      : ok('project', id);
  });
  return Promise.all([...agents, project]);
}

function checkFailures(call: Call, checkout: Checkout | undefined): Finding[] {
  const failures = listFailures(call.env, checkout);
  if (failures.length === 0) return [ok('last failures', 'No hook failed the last time it ran')];
  return failures.map(({ at, hook, program, repository, sentence }) =>
    wrong(
      'last failures',
      `${at.slice(0, 16).replace('T', ' ')} ${hook} of ${program}${checkout ? '' : ` in ${repository}`}: ${sentence}`,
      'A failure goes from here once the hook has gone well again.',
    ),
  );
}
