import { findCheckout } from './checkout.js';
import type { Call } from './command.js';
import { chooseAccess, readConfig } from './config.js';
import { createOptions } from './options.js';
import { createOutput } from './output/output.js';
import { openService, type Service } from './service.js';

interface Around {
  env: Record<string, string | undefined>;
  signal: AbortSignal;
  /** Set only when YAML output is requested, because the YAML library is the largest dependency. */
  toYaml: ((value: unknown) => string) | undefined;
}

/** Creates the context that a command runs in. Everything in it is looked up on first use. */
export function createCall(
  args: string[],
  values: Record<string, unknown>,
  { env, signal, toYaml }: Around,
): Call {
  const folder = process.cwd();
  const form = { json: values['json'] as string | true | undefined, toYaml };
  const call: Call = {
    args,
    options: createOptions(values, signal),
    out: createOutput(process, env, form),
    env,
    folder,
    signal,
    get config() {
      return readConfig(env);
    },
    checkout: once(() => findCheckout(folder)),
    service: once((): Service => openService(chooseAccess(wantedBy(call)), env)),
  };
  return call;
}

function once<T>(make: () => T): () => T {
  let made: { it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

export const wantedBy = (call: Call) => ({
  env: call.env,
  config: call.config,
  context: call.options.text('context'),
  checkoutUrl: call.checkout()?.settings.url,
});
