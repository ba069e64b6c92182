import { expect, test } from "vitest";
import { convertAssistant, convertMessage, convertThread } from "./convert-record.ts";

const exported = (fields: Record<string, unknown>) => ({ id: "old_1", createdAt: 1_700_000_000, fields });
const origin = { imported_from: "old_1", imported_created_at: "1700000000" };
const text = (value: string, annotations: unknown[] = []) => ({ type: "text", text: { value, annotations } });
const whats = ({ losses }: { losses: readonly { what: string }[] }) => losses.map(({ what }) => what);

test("a converted assistant keeps its settings and functions, and drops tools that need files", () => {
  const adder = { type: "function", function: { name: "add", parameters: { type: "object" } } };
  const carried = convertAssistant(
    exported({
      id: "old_1",
      object: "assistant",
      name: "Tutor",
      description: null,
      instructions: "Be kind.",
      model: "gpt-4-turbo",
      tools: [adder, { type: "code_interpreter" }, { type: "file_search", file_search: {} }, { type: "retrieval" }],
      tool_resources: { code_interpreter: { file_ids: ["file-1"] }, file_search: { vector_store_ids: ["vs_1"] } },
      metadata: { course: "sums" },
      temperature: 0.2,
      top_p: 1,
      response_format: "auto",
      reasoning_effort: null,
    }),
    new Map([["gpt-4-turbo", "fast"]]),
  );
  expect(carried.body).toEqual({
    name: "Tutor",
    instructions: "Be kind.",
    model: "fast",
    tools: [adder],
    metadata: { course: "sums", ...origin },
    temperature: 0.2,
    top_p: 1,
    response_format: "auto",
  });
  expect(whats(carried)).toEqual([
    "tool code_interpreter",
    "tool file_search",
    "tool retrieval",
    "files",
    "vector store",
  ]);
});

test("a converted message keeps its role, text, and image URLs", () => {
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } };
  const content = [text("one"), image, text(""), { type: "refusal", refusal: "No." }];
  const carried = convertMessage(exported({ role: "assistant", content, metadata: null, attachments: [] }));
  expect(carried.body).toEqual({
    role: "assistant",
    content: [{ type: "text", text: "one" }, image, { type: "text", text: "No." }],
    metadata: origin,
  });
  expect(carried.losses).toEqual([]);
});

test("converting a message reports its dropped parts, and inserts a placeholder if no content is left", () => {
  const file = { type: "image_file", image_file: { file_id: "file-9", detail: "auto" } };
  const cited = convertMessage(
    exported({
      role: "user",
      content: [text("see", [{ type: "file_citation" }]), file],
      attachments: [{ file_id: "file-1" }],
    }),
  );
  expect(cited.body).toMatchObject({ content: [{ type: "text", text: "see" }] });
  expect(whats(cited)).toEqual(["file citations", "image referenced by file ID", "files"]);
  const picture = convertMessage(exported({ role: "user", content: [file] }));
  expect(picture.body).toMatchObject({ content: [{ type: "text", text: "[not imported: image_file file-9]" }] });
});

test("an empty message is skipped and reported", () => {
  for (const content of [[], [text("")]]) {
    expect(convertMessage(exported({ role: "assistant", content }))).toEqual({
      body: null,
      losses: [{ id: "old_1", what: "empty message" }],
    });
  }
});

test("if the metadata is full, the original ID replaces one entry, and the replaced entry is reported", () => {
  const full = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`key${index}`, "x"]));
  const carried = convertThread(exported({ metadata: full }));
  const metadata = carried.body.metadata as Record<string, string>;
  expect(Object.keys(metadata)).toHaveLength(16);
  expect(metadata).toMatchObject({ key14: "x", imported_from: "old_1" });
  expect(whats(carried)).toEqual(["metadata key15 (replaced by imported_from)"]);
});
