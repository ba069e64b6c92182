import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { readExport, UnreadableExport } from "./read-export.ts";

function save(...texts: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return texts.map((text, index) => {
    const file = join(folder, `export-${index}`);
    writeFileSync(file, text);
    return file;
  });
}

const message = (id: string, createdAt: number, role = "user", threadId = "thread_a") => ({
  id,
  object: "thread.message",
  created_at: createdAt,
  thread_id: threadId,
  role,
  content: [{ type: "text", text: { value: id, annotations: [] } }],
});
const assistant = { id: "asst_a", object: "assistant", created_at: 1, model: "gpt-4o", tools: [] };
const thread = { id: "thread_a", object: "thread", created_at: 2, metadata: { topic: "sums" } };
const page = (...data: object[]) => ({ object: "list", data, first_id: "x", last_id: "y", has_more: false });
const objects = [assistant, thread, message("msg_2", 4, "assistant"), message("msg_1", 3)];

test.for<readonly [string, string]>([
  ["an array", JSON.stringify(objects)],
  ["an indented array", JSON.stringify(objects, null, 2)],
  ["a page", JSON.stringify(page(...objects))],
  ["an array of pages", JSON.stringify([page(assistant, thread), page(...objects.slice(2))], null, 1)],
  [
    "an object with named lists",
    JSON.stringify({ assistants: [assistant], threads: [{ ...thread, messages: objects.slice(2) }] }),
  ],
  ["JSON Lines", objects.map((object) => JSON.stringify(object)).join("\n")],
  [
    "JSON Lines of pages with a byte order mark and CRLF",
    `\uFEFF${objects.map((one) => JSON.stringify(page(one))).join("\r\n")}\r\n\r\n`,
  ],
])("reads %s with the same result", async ([, text]) => {
  const { assistants, threads, others } = await readExport(save(text));
  expect(assistants).toMatchObject([{ id: "asst_a", createdAt: 1, fields: { model: "gpt-4o" } }]);
  expect(threads).toMatchObject([
    { id: "thread_a", fields: { metadata: { topic: "sums" } }, messages: [{ id: "msg_1" }, { id: "msg_2" }] },
  ]);
  expect(others.size).toBe(0);
});

test("infers a thread from its messages, across files, and ignores duplicates", async () => {
  const files = save(
    JSON.stringify(page(message("msg_1", 3))),
    JSON.stringify(page(message("msg_2", 4), message("msg_1", 3))),
  );
  const { threads } = await readExport(files);
  expect(threads).toMatchObject([{ id: "thread_a", createdAt: 3, messages: [{ id: "msg_1" }, { id: "msg_2" }] }]);
});

test("returns messages in chronological order, regardless of their order in the export", async () => {
  const times = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(times, fc.boolean(), async (seconds, isNewestFirst) => {
      // The first message is the user's, so the order is known even if all messages have the same timestamp.
      const written = seconds
        .toSorted((one, other) => one - other)
        .map((at, index) => message(`msg_${index}`, at, index === 0 ? "user" : "assistant"));
      const listed = isNewestFirst ? written.toReversed() : written;
      const { threads } = await readExport(save(JSON.stringify(page(...listed))));
      expect(threads[0]?.messages.map(({ id }) => id)).toEqual(written.map(({ id }) => id));
    }),
    { numRuns: 50 },
  );
});

test("counts runs and files but does not import them", async () => {
  const run = { id: "run_a", object: "thread.run", thread_id: "thread_b", tools: [{ type: "function" }] };
  const { threads, others } = await readExport(save(JSON.stringify([run, run, { id: "file-a", object: "file" }])));
  expect([...others]).toEqual([
    ["thread.run", 1],
    ["file", 1],
  ]);
  expect(threads).toEqual([]);
});

test("the error for an invalid file names the file and, if known, the line", async () => {
  const [broken = "", torn = ""] = save("hello\nworld", `${JSON.stringify(assistant)}\n{"id":`);
  await expect(readExport([broken])).rejects.toThrow(`${broken} is neither JSON nor JSON Lines`);
  await expect(readExport([torn])).rejects.toThrow(`${torn}: line 2 is not valid JSON`);
  await expect(readExport([torn])).rejects.toBeInstanceOf(UnreadableExport);
});
