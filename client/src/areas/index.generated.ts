// Made from openapi.json by `npm run generate`; changes here are lost.

import { system, type SystemMethods } from './system.generated.js';
import { signInAndTokens, type SignInAndTokensMethods } from './sign-in-and-tokens.generated.js';
import { operator, type OperatorLists, type OperatorMethods } from './operator.generated.js';
import { coderProfiles, type CoderProfilesLists, type CoderProfilesMethods } from './coder-profiles.generated.js';
import { workspaceSettings, type WorkspaceSettingsLists, type WorkspaceSettingsMethods } from './workspace-settings.generated.js';
import { boards, type BoardsLists, type BoardsMethods, type BoardsStreams } from './boards.generated.js';
import { docs, type DocsMethods } from './docs.generated.js';
import { memory, type MemoryLists, type MemoryMethods } from './memory.generated.js';
import { workstations, type WorkstationsMethods } from './workstations.generated.js';
import { environments, type EnvironmentsLists, type EnvironmentsMethods } from './environments.generated.js';
import { desks, type DesksMethods } from './desks.generated.js';
import { install, type InstallMethods } from './install.generated.js';
import { machineUpdates, type MachineUpdatesMethods } from './machine-updates.generated.js';
import { hires, type HiresLists, type HiresMethods } from './hires.generated.js';
import { projects, type ProjectsMethods, type ProjectsStreams } from './projects.generated.js';
import { lessonsNearCode, type LessonsNearCodeLists, type LessonsNearCodeMethods } from './lessons-near-code.generated.js';
import { builds, type BuildsLists, type BuildsMethods, type BuildsStreams } from './builds.generated.js';
import { webhooks, type WebhooksLists, type WebhooksMethods } from './webhooks.generated.js';
import { me, type MeLists, type MeMethods, type MeStreams } from './me.generated.js';
import { search, type SearchMethods } from './search.generated.js';
import { agents, type AgentsMethods } from './agents.generated.js';
import { dashboard, type DashboardMethods } from './dashboard.generated.js';

export type * from './system.generated.js';
export type * from './sign-in-and-tokens.generated.js';
export type * from './operator.generated.js';
export type * from './coder-profiles.generated.js';
export type * from './workspace-settings.generated.js';
export type * from './boards.generated.js';
export type * from './docs.generated.js';
export type * from './memory.generated.js';
export type * from './workstations.generated.js';
export type * from './environments.generated.js';
export type * from './desks.generated.js';
export type * from './install.generated.js';
export type * from './machine-updates.generated.js';
export type * from './hires.generated.js';
export type * from './projects.generated.js';
export type * from './lessons-near-code.generated.js';
export type * from './builds.generated.js';
export type * from './webhooks.generated.js';
export type * from './me.generated.js';
export type * from './search.generated.js';
export type * from './agents.generated.js';
export type * from './dashboard.generated.js';
export type * from './shared.generated.js';

/** Every operation of the service. */
export interface Methods
  extends SystemMethods,
    SignInAndTokensMethods,
    OperatorMethods,
    CoderProfilesMethods,
    WorkspaceSettingsMethods,
    BoardsMethods,
    DocsMethods,
    MemoryMethods,
    WorkstationsMethods,
    EnvironmentsMethods,
    DesksMethods,
    InstallMethods,
    MachineUpdatesMethods,
    HiresMethods,
    ProjectsMethods,
    LessonsNearCodeMethods,
    BuildsMethods,
    WebhooksMethods,
    MeMethods,
    SearchMethods,
    AgentsMethods,
    DashboardMethods {}

/** What `iterate` goes through. */
export interface Lists
  extends OperatorLists,
    CoderProfilesLists,
    WorkspaceSettingsLists,
    BoardsLists,
    MemoryLists,
    EnvironmentsLists,
    HiresLists,
    LessonsNearCodeLists,
    BuildsLists,
    WebhooksLists,
    MeLists {}

/** What `stream` follows. */
export interface Streams
  extends BoardsStreams,
    ProjectsStreams,
    BuildsStreams,
    MeStreams {}

export const operations = {
  ...system,
  ...signInAndTokens,
  ...operator,
  ...coderProfiles,
  ...workspaceSettings,
  ...boards,
  ...docs,
  ...memory,
  ...workstations,
  ...environments,
  ...desks,
  ...install,
  ...machineUpdates,
  ...hires,
  ...projects,
  ...lessonsNearCode,
  ...builds,
  ...webhooks,
  ...me,
  ...search,
  ...agents,
  ...dashboard,
};
