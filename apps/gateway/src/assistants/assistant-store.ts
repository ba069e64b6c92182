import type {
  Assistant,
  AssistantFields,
  Message,
  MessageFields,
  Metadata,
  Owner,
  Page,
  PageQuery,
  Run,
  RunEvent,
  RunFields,
  Step,
  Thread,
  ThreadFields,
} from "@tollgate/domain/assistants/records.ts";

/** Owner on whose behalf a record is read or written. Row-level security hides the records of all other owners. */
export interface OwnerContext {
  readonly owner: Owner;
  /** An administrator's key has access to all records and can also own records. */
  readonly isAdministrator: boolean;
  readonly organizationId: string | null;
  readonly organizationName: string | null;
  /** Key that a run's calls are charged to, and that stored records count against. */
  readonly keyId: string;
  readonly keyName: string;
}

/** Result of a list request: a page, or `unknown_cursor` if the cursor isn't in the list. */
export type Listed<Item> = Page<Item> | "unknown_cursor";

export interface NewRun {
  readonly assistantId: string;
  readonly fields: RunFields;
  /** Messages that are added to the thread in the transaction that creates the run. */
  readonly messages: readonly MessageFields[];
  readonly isStreamed: boolean;
  readonly queueLimits: QueueLimits;
}

/** Maximum numbers of queued runs. */
export interface QueueLimits {
  readonly perKey: number;
  readonly perOrganization: number;
}

/** The limit of queued runs that is reached. */
export interface FullQueue {
  readonly owner: "key" | "organization";
  readonly current: number;
  readonly maximum: number;
}

/** Outputs of the pending tool calls of a run. */
interface Submission {
  readonly outputs: readonly ToolOutput[];
  readonly isStreamed: boolean;
  readonly queueLimits: QueueLimits;
}

export interface ToolOutput {
  readonly toolCallId: string;
  readonly output: string;
}

export type AddedMessage =
  | { readonly kind: "added"; readonly message: Message }
  | { readonly kind: "no_thread" }
  /** A run is active in the thread. */
  | { readonly kind: "busy"; readonly runId: string }
  | { readonly kind: "full" };

export type CreatedRun =
  | { readonly kind: "created"; readonly run: Run }
  | { readonly kind: "no_thread" }
  | { readonly kind: "busy"; readonly runId: string }
  | { readonly kind: "full" }
  | { readonly kind: "queue_full"; readonly queue: FullQueue };

export type SubmittedRun = ChangedRun | { readonly kind: "queue_full"; readonly queue: FullQueue };

export type ChangedRun =
  | { readonly kind: "changed"; readonly run: Run }
  | { readonly kind: "absent" }
  /** The run's state does not allow the operation. */
  | { readonly kind: "refused"; readonly run: Run }
  /** A pending tool call has no output, or an output belongs to no pending tool call. */
  | { readonly kind: "other_calls"; readonly missing: readonly string[]; readonly unknown: readonly string[] };

/**
 * Stores assistants, threads, messages, and runs. For missing records and for other owners' records, operations return
 * null or `no_thread`.
 */
export interface AssistantStore {
  createAssistant(acting: OwnerContext, fields: AssistantFields): Promise<Assistant>;
  findAssistant(acting: OwnerContext, id: string): Promise<Assistant | null>;
  changeAssistant(acting: OwnerContext, id: string, fields: Partial<AssistantFields>): Promise<Assistant | null>;
  deleteAssistant(acting: OwnerContext, id: string): Promise<boolean>;
  listAssistants(acting: OwnerContext, page: PageQuery): Promise<Listed<Assistant>>;

  createThread(acting: OwnerContext, fields: ThreadFields, messages: readonly MessageFields[]): Promise<Thread>;
  findThread(acting: OwnerContext, id: string): Promise<Thread | null>;
  changeThread(acting: OwnerContext, id: string, fields: Partial<ThreadFields>): Promise<Thread | null>;
  deleteThread(acting: OwnerContext, id: string): Promise<boolean>;

  addMessage(acting: OwnerContext, threadId: string, fields: MessageFields): Promise<AddedMessage>;
  findMessage(acting: OwnerContext, threadId: string, id: string): Promise<Message | null>;
  changeMessage(acting: OwnerContext, threadId: string, id: string, metadata: Metadata): Promise<Message | null>;
  deleteMessage(acting: OwnerContext, threadId: string, id: string): Promise<boolean>;
  /** Returns null if the thread does not exist. */
  listMessages(
    acting: OwnerContext,
    threadId: string,
    page: PageQuery & { readonly runId?: string },
  ): Promise<Listed<Message> | null>;

  /** Queues the run for a worker. The job is written in the same transaction. */
  createRun(acting: OwnerContext, threadId: string, run: NewRun): Promise<CreatedRun>;
  findRun(acting: OwnerContext, threadId: string, id: string): Promise<Run | null>;
  listRuns(acting: OwnerContext, threadId: string, page: PageQuery): Promise<Listed<Run> | null>;
  changeRunMetadata(acting: OwnerContext, threadId: string, id: string, metadata: Metadata): Promise<Run | null>;
  submitOutputs(acting: OwnerContext, threadId: string, id: string, submission: Submission): Promise<SubmittedRun>;
  cancelRun(acting: OwnerContext, threadId: string, id: string): Promise<ChangedRun>;
  listSteps(acting: OwnerContext, threadId: string, runId: string, page: PageQuery): Promise<Listed<Step> | null>;
  findStep(acting: OwnerContext, threadId: string, runId: string, id: string): Promise<Step | null>;

  /**
   * Yields the events of a run after `afterNumber`, in batches, until the run ends or waits for tool outputs, or the
   * signal fires. Notifications trigger reads, and periodic polling covers lost notifications.
   */
  follow(
    acting: OwnerContext,
    runId: string,
    afterNumber: number,
    signal: AbortSignal,
  ): AsyncIterable<readonly RunEvent[]>;
  /** Returns the number of the run's latest event. */
  lastEventNumber(acting: OwnerContext, runId: string): Promise<number>;
}
