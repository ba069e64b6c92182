import type { Answer, AssistantsClient } from "./assistants-client.ts";
import { convertAssistant, convertMessage, convertThread, type Loss } from "./convert-record.ts";
import type { ImportedIds } from "./imported-ids.ts";
import type { Export, Exported, ExportedThread, Fields } from "./read-export.ts";

export interface Counted {
  created: number;
  /** Objects that an earlier import created. */
  present: number;
  refused: number;
}

export interface ImportReport {
  readonly assistants: Counted;
  readonly threads: Counted;
  readonly messages: Counted;
  readonly losses: Loss[];
  readonly refusals: { readonly id: string; readonly status: number; readonly message: string }[];
  /** Models that assistants use but the gateway doesn't serve to this key. */
  readonly unknownModels: string[];
}

interface ImportOptions {
  /** Client for the gateway; null in a dry run. */
  readonly gateway: AssistantsClient | null;
  readonly ids: ImportedIds;
  readonly models: ReadonlyMap<string, string>;
  readonly onProgress: (report: ImportReport) => void;
}

/** Number of threads imported concurrently. The messages of one thread are sent sequentially. */
const THREADS_AT_ONCE = 4;
/** Limits on the messages sent with a new thread. The remaining messages are sent one by one. */
const BATCH_MESSAGES = 50;
const BATCH_BYTES = 1024 * 1024;

/** Creates all missing objects and reports dropped data. If the gateway rejects an object, the import continues. */
export async function importRecords(exported: Export, options: ImportOptions): Promise<ImportReport> {
  const report: ImportReport = {
    assistants: { created: 0, present: 0, refused: 0 },
    threads: { created: 0, present: 0, refused: 0 },
    messages: { created: 0, present: 0, refused: 0 },
    losses: [],
    refusals: [],
    unknownModels: [],
  };
  const task: Task = { ...options, report };
  await importAssistants(exported.assistants, task);
  const waiting = exported.threads.values();
  const work = async () => {
    for (const thread of waiting) await importThread(thread, task);
  };
  await Promise.all(Array.from({ length: THREADS_AT_ONCE }, work));
  return report;
}

interface Task extends ImportOptions {
  readonly report: ImportReport;
}

async function importAssistants(assistants: readonly Exported[], task: Task): Promise<void> {
  const { gateway, ids, report } = task;
  const present = new Map<unknown, string>();
  if (gateway !== null && assistants.length > 0) {
    for await (const one of gateway.list("/assistants", "asc")) present.set(importedFrom(one), String(one.id));
  }
  const models = new Set<string>();
  for (const assistant of assistants) {
    const { body, losses } = convertAssistant(assistant, task.models);
    report.losses.push(...losses);
    models.add(String(body.model));
    const known = present.get(assistant.id);
    if (known !== undefined) ids.add("assistant", assistant.id, known);
    if (known !== undefined) report.assistants.present += 1;
    else await create("/assistants", body, { object: "assistant", id: assistant.id, counted: report.assistants }, task);
  }
  for (const model of models) {
    if (await isUnknown(model, gateway)) report.unknownModels.push(model);
  }
}

async function isUnknown(model: string, gateway: AssistantsClient | null): Promise<boolean> {
  const answer = await gateway?.get(`/models/${encodeURIComponent(model)}`);
  return answer?.kind === "refused" && answer.status === 404;
}

async function importThread(thread: ExportedThread, task: Task): Promise<void> {
  const { report } = task;
  const { body, losses } = convertThread(thread);
  report.losses.push(...losses);
  const known = await findThread(thread.id, task);
  if (known === null) return startThread(thread, body, task);
  report.threads.present += 1;
  const first = await findFirstMissing(known, thread.messages, task);
  report.messages.present += first;
  const missing = thread.messages.slice(first);
  for (const message of missing) await importMessage(known, message, task);
  if (missing[0] !== undefined) await removeDuplicates(known, missing[0].id, task);
}

/**
 * Creates a thread with its first messages in one request. If one of the messages is rejected, sends them one by one.
 */
async function startThread(thread: ExportedThread, body: Fields, task: Task): Promise<void> {
  const { report } = task;
  const creation = { object: "thread", id: thread.id, counted: report.threads } as const;
  const batch = takeBatch(thread.messages);
  const messages = batch.flatMap((carried) => carried.body ?? []);
  const together = await send("/threads", { ...body, messages }, task);
  if (together.kind === "done") {
    report.losses.push(...batch.flatMap(({ losses }) => losses));
    report.messages.created += messages.length;
  }
  const id =
    together.kind === "done" ? keep(together.body, creation, task) : await create("/threads", body, creation, task);
  if (id === null) {
    report.messages.refused += thread.messages.length;
    return;
  }
  const rest = thread.messages.slice(together.kind === "done" ? batch.length : 0);
  for (const message of rest) await importMessage(id, message, task);
}

function takeBatch(messages: readonly Exported[]): readonly ReturnType<typeof convertMessage>[] {
  const carried = messages.slice(0, BATCH_MESSAGES).map(convertMessage);
  let bytes = 0;
  const end = carried.findIndex(({ body }) => {
    bytes += Buffer.byteLength(JSON.stringify(body));
    return bytes > BATCH_BYTES;
  });
  return end === -1 ? carried : carried.slice(0, end);
}

async function importMessage(threadId: string, message: Exported, task: Task): Promise<void> {
  const { body, losses } = convertMessage(message);
  task.report.losses.push(...losses);
  if (body === null) return;
  const counted = { object: "message", id: message.id, counted: task.report.messages } as const;
  await create(`/threads/${threadId}/messages`, body, counted, task);
}

/** Returns the new ID of a thread that was imported before and still exists. */
async function findThread(from: string, { gateway, ids }: Task): Promise<string | null> {
  const to = ids.find(from);
  if (to === undefined || gateway === null) return to ?? null;
  const answer = await gateway.get(`/threads/${to}`);
  return answer.kind === "done" && importedFrom(answer.body) === from ? to : null;
}

/**
 * Returns the index after the last imported message. Earlier gaps are not filled, because that would break the order.
 */
async function findFirstMissing(threadId: string, messages: readonly Exported[], { gateway }: Task): Promise<number> {
  // A dry run can't read the thread, so it assumes that all messages were imported.
  if (gateway === null) return messages.length;
  const positions = new Map<unknown, number>(messages.map(({ id }, position) => [id, position]));
  for await (const message of gateway.list(`/threads/${threadId}/messages`, "desc")) {
    const position = positions.get(importedFrom(message));
    if (position !== undefined) return position + 1;
  }
  return 0;
}

/** Deletes duplicates of a message and keeps the first copy. A killed import may still have had a request in flight. */
async function removeDuplicates(threadId: string, from: string, { gateway }: Task): Promise<void> {
  const path = `/threads/${threadId}/messages`;
  const duplicates: string[] = [];
  for await (const message of gateway?.list(path, "asc") ?? []) {
    if (importedFrom(message) === from) duplicates.push(String(message.id));
  }
  for (const id of duplicates.slice(1)) await gateway?.delete(`${path}/${id}`);
}

interface Creation {
  readonly object: "assistant" | "thread" | "message";
  readonly id: string;
  readonly counted: Counted;
}

/** Returns the new ID. If the gateway rejected the object, adds it to the report and returns null. */
async function create(path: string, body: Fields, creation: Creation, task: Task): Promise<string | null> {
  const answer = await send(path, body, task);
  if (answer.kind === "done") return keep(answer.body, creation, task);
  creation.counted.refused += 1;
  task.report.refusals.push({ id: creation.id, status: answer.status, message: answer.message });
  return null;
}

/** Sends a request. A dry run succeeds with a placeholder ID. */
async function send(path: string, body: Fields, { gateway }: Task): Promise<Answer> {
  return gateway === null ? { kind: "done", body: { id: "" } } : gateway.post(path, body);
}

function keep(made: Fields, { object, id, counted }: Creation, task: Task): string {
  counted.created += 1;
  const to = String(made.id);
  if (object !== "message" && task.gateway !== null) task.ids.add(object, id, to);
  task.onProgress(task.report);
  return to;
}

const importedFrom = (object: Fields): unknown => (object.metadata as Fields | null)?.imported_from;
