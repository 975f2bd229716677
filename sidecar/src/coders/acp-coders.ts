import { isRecord, parseObject } from '../work/build-protocol.js';
import { openAcp } from './acp.js';
import type { CoderDriver } from './driver.js';

/** OpenCode, whose own settings come by a variable that the repository's cannot override. */
export const opencode: CoderDriver = {
  command: ({ started, executable, model, environment }) => {
    const { maxSteps, maxTurns } = started.settings;
    const steps = maxSteps ?? maxTurns;
    const given = parseObject(environment['OPENCODE_CONFIG_CONTENT'] ?? '') ?? {};
    const agents = isRecord(given['agent']) ? given['agent'] : {};
    return {
      command: [executable, 'acp'],
      environment: {
        ...environment,
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          ...given,
          ...(model && { model }),
          ...(steps && { agent: { ...agents, build: { steps } } }),
          permission: 'allow',
          autoupdate: false,
          share: 'disabled',
        }),
      },
    };
  },
  // It counts the tokens of its last call to the model alone, and the cost of all of them.
  open: (link) => openAcp(link, { taken: ['model', 'max_turns', 'max_steps'], countsTokens: false }),
};

/**
 * OpenHands by its published description: it needs Python and has not been run against this driver. Its step limit has no
 * option, so the log names it.
 */
export const openhands: CoderDriver = {
  command: ({ executable, model, environment }) => ({
    command: [executable, 'acp', '--always-approve', '--override-with-envs'],
    environment: { ...environment, ...(model && { LLM_MODEL: model }) },
  }),
  open: (link) => openAcp(link, { taken: ['model'] }),
};

/** A program that the owner of the desk describes in a file. */
export const fileCoder = (command: readonly string[]): CoderDriver => ({
  command: ({ executable, environment }) => ({
    command: [executable, ...command.slice(1)],
    environment,
  }),
  open: (link) => openAcp(link),
});
