import { isRecord, parseObject } from '../work/build-protocol.js';
import { openAcp } from './acp.js';
import type { CoderDriver } from './driver.js';

/** OpenCode gets its settings from a variable, because the repository's own settings cannot override that. */
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
  // OpenCode reports the tokens of its last model call only, but the cost of all calls.
  open: (link) => openAcp(link, { taken: ['model', 'max_turns', 'max_steps'], countsTokens: false }),
};

/**
 * Written from the OpenHands documentation and not tested with the real program, which needs Python. It has no
 * option for a step limit, so the log lists that setting as ignored.
 */
export const openhands: CoderDriver = {
  command: ({ executable, model, environment }) => ({
    command: [executable, 'acp', '--always-approve', '--override-with-envs'],
    environment: { ...environment, ...(model && { LLM_MODEL: model }) },
  }),
  open: (link) => openAcp(link, { taken: ['model'] }),
};

/** A coder that the owner of the desk describes in a file. */
export const fileCoder = (command: readonly string[]): CoderDriver => ({
  command: ({ executable, environment }) => ({
    command: [executable, ...command.slice(1)],
    environment,
  }),
  open: (link) => openAcp(link),
});
