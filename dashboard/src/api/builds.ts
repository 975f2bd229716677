import type {
  AddBuildCommentArguments,
  Build,
  BuildList,
  BuildPolicy,
  CreateBuildArguments,
  ListBuildsArguments,
  SetBuildPolicyArguments,
  UpdateBuildCommentArguments,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';
import { listWords } from './words.js';

export type {
  Build,
  BuildCheck,
  BuildComment,
  BuildCommentList,
  BuildList,
  BuildLogChunk,
  BuildPolicy,
  BuildReviewByCoder,
  BuildReviewer,
  BuildRisk,
  CoderList,
  GateNote,
  MergeImpact,
  Question,
} from '../../../client/src/index.js';
export type PolicyChange = SetBuildPolicyArguments;
export type BuildStatus = Build['status'];
export type BuildFilter = Pick<
  ListBuildsArguments,
  'status' | 'workstation_id' | 'coder' | 'state' | 'review'
>;
export type ReviewState = NonNullable<BuildFilter['review']>;
export type NewBuild = Omit<CreateBuildArguments, 'task_id'>;
export type NewComment = Omit<AddBuildCommentArguments, 'build_id'>;
export type CommentChange = Omit<UpdateBuildCommentArguments, 'build_id' | 'comment_id'>;

export const STATUSES = listWords<BuildStatus>({
  queued: true,
  claimed: true,
  running: true,
  waiting: true,
  checking: true,
  succeeded: true,
  failed: true,
  timed_out: true,
  lost: true,
  canceled: true,
});

export const listBuilds = (query: ListBuildsArguments, signal?: AbortSignal): Promise<BuildList> =>
  guildhall.listBuilds(query, { signal });

export const listCoders = (signal?: AbortSignal) => guildhall.listCoders({}, { signal });

export const listBuildsOfCard = (task_id: string, signal?: AbortSignal): Promise<BuildList> =>
  guildhall.listBuilds({ task_id, limit: 50 }, { signal });

export const listQuestions = (build_id: string, signal?: AbortSignal) =>
  guildhall.listBuildQuestions({ build_id }, { signal });

export const answerQuestion = (
  build_id: string,
  question_id: string,
  answer: { choice?: string; text?: string },
) => guildhall.answerBuildQuestion({ ...answer, build_id, question_id });

export const readBuild = (build_id: string, signal?: AbortSignal): Promise<Build> =>
  guildhall.getBuild({ build_id }, { signal });

/** A repeated click with the same key starts no second build. */
export const startBuild = (task_id: string, build: NewBuild, idempotencyKey?: string) =>
  guildhall.createBuild({ ...build, task_id }, { idempotencyKey });

export const cancelBuild = (build_id: string) => guildhall.cancelBuild({ build_id });

export const previewBrief = (task_id: string, signal?: AbortSignal) =>
  guildhall.previewBrief({ task_id }, { signal });

export const readBrief = (build_id: string, signal?: AbortSignal) =>
  guildhall.getBuildBrief({ build_id }, { signal });

/** `base` is the whole change, which accepting pushes; `previous` starts at the previous attempt. */
export type DiffStart = 'base' | 'previous';

interface DiffQuestion {
  from: DiffStart;
  path?: string;
}

export const readDiff = (build_id: string, { from, path }: DiffQuestion, signal?: AbortSignal) =>
  guildhall.getBuildDiff({ build_id, from, ...(path !== undefined && { path }) }, { signal });

interface LinesQuestion {
  path: string;
  from: number;
  to: number;
}

/** Reads at most 500 lines of a file at the build's head, fewer if they are long. */
export const readFileLines = (build_id: string, question: LinesQuestion) =>
  guildhall.readBuildFile({ build_id, ...question });

export const readImpact = (build_id: string, signal?: AbortSignal) =>
  guildhall.getBuildImpact({ build_id }, { signal });

export const acceptBuild = (build_id: string) => guildhall.reviewBuild({ build_id, decision: 'accept' });

/** Sends the unresolved comments and the user's drafts; `whole` is a comment on the whole change. */
export const askForRework = (build_id: string, whole: string, idempotencyKey?: string) =>
  guildhall.reviewBuild(
    { build_id, decision: 'rework', ...(whole && { comments: [{ body: whole }] }) },
    { idempotencyKey },
  );

export const listComments = (build_id: string, signal?: AbortSignal) =>
  guildhall.listBuildComments({ build_id }, { signal });

export const addComment = (build_id: string, comment: NewComment) =>
  guildhall.addBuildComment({ build_id, ...comment });

export const changeComment = (build_id: string, comment_id: string, change: CommentChange) =>
  guildhall.updateBuildComment({ build_id, comment_id, ...change });

export const deleteComment = (build_id: string, comment_id: string) =>
  guildhall.deleteBuildComment({ build_id, comment_id });

export const sendComments = (build_id: string) => guildhall.sendBuildComments({ build_id });

/** Reads log chunks after sequence number `after`. */
export const readCheckLog = (build_id: string, name: string, after: number, signal?: AbortSignal) =>
  guildhall.readBuildCheckLog({ build_id, name, after }, { signal });

export const readPolicy = (signal?: AbortSignal): Promise<BuildPolicy> =>
  guildhall.getBuildPolicy({}, { signal });

/** Omitted fields keep their values. */
export const savePolicy = (change: PolicyChange): Promise<BuildPolicy> => guildhall.setBuildPolicy(change);

interface FollowOptions {
  /** Sequence number of the last known chunk; the stream continues after it. */
  after: number;
  signal: AbortSignal;
  onState(state: 'open' | 'lost'): void;
}

export const followLog = (build_id: string, { after, signal, onState }: FollowOptions) =>
  guildhall.streamBuildLog(
    { build_id },
    { signal, onState, headers: after > 0 ? { 'last-event-id': String(after) } : undefined },
  );
