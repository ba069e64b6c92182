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

/** For whom a record is read or written. The database shows such a connection nothing of anybody else. */
export interface OwnerContext {
  readonly owner: Owner;
  /** An administrator's key sees everything, and makes records of its own. */
  readonly isAdministrator: boolean;
  readonly organizationId: string | null;
  /** Whom calls of a run are charged to. */
  readonly keyId: string;
}

/** A list asked to begin at something that is not in it. */
export type Listed<Item> = Page<Item> | "unknown_cursor";

export interface NewRun {
  readonly assistantId: string;
  readonly fields: RunFields;
  /** Added to the thread before it runs, in the same transaction. */
  readonly messages: readonly MessageFields[];
  readonly isStreamed: boolean;
}

export interface ToolOutput {
  readonly toolCallId: string;
  readonly output: string;
}

export type AddedMessage =
  | { readonly kind: "added"; readonly message: Message }
  | { readonly kind: "no_thread" }
  /** A run is working in the thread. */
  | { readonly kind: "busy"; readonly runId: string }
  | { readonly kind: "full" };

export type CreatedRun =
  | { readonly kind: "created"; readonly run: Run }
  | { readonly kind: "no_thread" }
  | { readonly kind: "busy"; readonly runId: string }
  | { readonly kind: "full" };

export type ChangedRun =
  | { readonly kind: "changed"; readonly run: Run }
  | { readonly kind: "absent" }
  /** The run is in a state that does not allow it. */
  | { readonly kind: "refused"; readonly run: Run }
  /** Not every call that waits was answered, or one was that does not wait. */
  | { readonly kind: "other_calls"; readonly missing: readonly string[]; readonly unknown: readonly string[] };

/** Where assistants, threads, messages and runs are kept. Absent and foreign are the same: null, or `no_thread`. */
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
  /** Null when there is no such thread. */
  listMessages(
    acting: OwnerContext,
    threadId: string,
    page: PageQuery & { readonly runId?: string },
  ): Promise<Listed<Message> | null>;

  /** The run waits for a worker when this returns; the job is left in the same transaction. */
  createRun(acting: OwnerContext, threadId: string, run: NewRun): Promise<CreatedRun>;
  findRun(acting: OwnerContext, threadId: string, id: string): Promise<Run | null>;
  listRuns(acting: OwnerContext, threadId: string, page: PageQuery): Promise<Listed<Run> | null>;
  changeRunMetadata(acting: OwnerContext, threadId: string, id: string, metadata: Metadata): Promise<Run | null>;
  submitOutputs(
    acting: OwnerContext,
    threadId: string,
    id: string,
    outputs: readonly ToolOutput[],
    isStreamed: boolean,
  ): Promise<ChangedRun>;
  cancelRun(acting: OwnerContext, threadId: string, id: string): Promise<ChangedRun>;
  listSteps(acting: OwnerContext, threadId: string, runId: string, page: PageQuery): Promise<Listed<Step> | null>;
  findStep(acting: OwnerContext, threadId: string, runId: string, id: string): Promise<Step | null>;

  /**
   * What happens in a run from the event after `afterNumber` on, in batches, until it is over, waits for outputs, or the
   * signal fires. Told by notices, and looked up now and then in case one was lost.
   */
  follow(
    acting: OwnerContext,
    runId: string,
    afterNumber: number,
    signal: AbortSignal,
  ): AsyncIterable<readonly RunEvent[]>;
  /** The number of the run's last event so far. */
  lastEventNumber(acting: OwnerContext, runId: string): Promise<number>;
}
