import { describe, expect } from "vitest";
import { test } from "./assistants-gateway.fixture.ts";

const ID = /^asst_[0-9A-Za-z]{24}$/;
const UNKNOWN_ID = `asst_${"0".repeat(24)}`;
const weather = {
  type: "function",
  function: { name: "weather", description: "Of a town", parameters: { type: "object", properties: {} }, strict: true },
};

describe("assistant", () => {
  test("has default values for omitted fields", async ({ gateway }) => {
    const created = await gateway.mine.read("POST", "/v1/assistants", { model: "sim/echo", surprise: 1 });
    expect(created).toEqual({
      id: expect.stringMatching(ID),
      object: "assistant",
      created_at: expect.any(Number),
      name: null,
      description: null,
      model: "sim/echo",
      instructions: null,
      tools: [],
      tool_resources: null,
      metadata: {},
      temperature: 1,
      top_p: 1,
      response_format: "auto",
      reasoning_effort: null,
    });
    expect(
      Math.abs(Number((created as unknown as { created_at: number }).created_at) - Date.now() / 1_000),
    ).toBeLessThan(60);
    expect(await gateway.mine.read("GET", `/assistants/${created.id}`)).toEqual(created);
  });

  test("is returned with the values it was created with", async ({ gateway }) => {
    const said = {
      name: "Guide 🧭",
      description: "Shows the way",
      model: "sim/echo",
      instructions: "Be short.\u0000",
      tools: [weather],
      tool_resources: { code_interpreter: { file_ids: [] } },
      metadata: { team: "north", "": "" },
      temperature: 0,
      top_p: 0.5,
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } },
      reasoning_effort: "low",
    };
    const refused = await gateway.mine.ask("POST", "/assistants", said);
    expect(refused.body.detail).toMatchObject([{ loc: ["body", "metadata", ""], type: "too_short" }]);
    const fine = { ...said, metadata: { team: "north" } };
    expect(await gateway.mine.read("POST", "/assistants", fine)).toMatchObject(fine);
  });

  test("keeps fields that an update omits and resets fields set to null", async ({ gateway }) => {
    const fields = { model: "sim/echo", name: "One", instructions: "Go.", temperature: 0.2, tools: [weather] };
    const { id } = await gateway.mine.read("POST", "/assistants", fields);
    const renamed = await gateway.mine.read("POST", `/v1/assistants/${id}`, { name: "Two" });
    expect(renamed).toMatchObject({ ...fields, id, name: "Two" });
    const cleared = { instructions: null, temperature: null, tools: null, metadata: null, response_format: null };
    expect(await gateway.mine.read("POST", `/assistants/${id}`, cleared)).toMatchObject({
      name: "Two",
      instructions: null,
      temperature: 1,
      tools: [],
      metadata: {},
      response_format: "auto",
    });
    const refused = await gateway.mine.ask("POST", `/assistants/${id}`, { model: null });
    expect(refused).toMatchObject({ status: 422, body: { error: { param: "model" } } });
  });

  test("is not found after it is deleted", async ({ gateway }) => {
    const { id } = await gateway.mine.read("POST", "/assistants", { model: "sim/echo" });
    expect(await gateway.mine.read("DELETE", `/assistants/${id}`)).toEqual({
      id,
      object: "assistant.deleted",
      deleted: true,
    });
    for (const method of ["GET", "DELETE"])
      expect((await gateway.mine.ask(method, `/assistants/${id}`)).status).toBe(404);
  });
});

test("lists all validation errors of an assistant in one response", async ({ gateway }) => {
  const { status, body } = await gateway.mine.ask("POST", "/assistants", {
    name: "x".repeat(257),
    description: "x".repeat(513),
    instructions: "x".repeat(256_001),
    tools: [{ type: "function", function: { name: "not a name" } }, { type: "magic" }],
    tool_resources: { file_search: { vector_store_ids: ["a", "b"] } },
    metadata: { long: "x".repeat(513), ["k".repeat(65)]: "v", number: 1 },
    temperature: 2.1,
    top_p: -0.1,
    response_format: "json",
  });
  expect(status).toBe(422);
  expect(body.detail.map(({ loc, type }) => `${loc.slice(1).join(".").slice(0, 40)} ${type}`)).toEqual([
    "model missing",
    "name too_long",
    "description too_long",
    "instructions too_long",
    "tools.0.function.name string_pattern_mismatch",
    "tools.1.type union_tag_invalid",
    "tool_resources.file_search.vector_store_ids too_long".replace(/^(.{40}).* /, "$1 "),
    "metadata.long too_long",
    `${`metadata.${"k".repeat(65)}`.slice(0, 40)} too_long`,
    "metadata.number string_type",
    "temperature less_than_equal",
    "top_p greater_than_equal",
    "response_format literal_error",
  ]);
  const crowded = { model: "m", metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "v"])) };
  expect((await gateway.mine.ask("POST", "/assistants", crowded)).body.detail).toMatchObject([{ type: "too_long" }]);
  const many = { model: "m", tools: Array.from({ length: 129 }, () => weather) };
  expect((await gateway.mine.ask("POST", "/assistants", many)).body.detail).toMatchObject([{ type: "too_long" }]);
});

test.for(["code_interpreter", "file_search"])(
  "the error for the unsupported tool %s names the tool and suggests functions",
  async (type, { gateway }) => {
    const body = { model: "sim/echo", tools: [weather, { type }] };
    const { id } = await gateway.mine.read("POST", "/assistants", { model: "sim/echo" });
    for (const path of ["/assistants", `/assistants/${id}`]) {
      const refused = await gateway.mine.ask("POST", path, body);
      expect(refused).toMatchObject({ status: 400, body: { error: { code: "unsupported_tool", param: "tools.1" } } });
      expect(refused.body.error.message).toContain(`'${type}'`);
      expect(refused.body.error.message).toContain("'function'");
    }
  },
);

test("another team's assistant returns the same 404 as an unknown ID", async ({ gateway }) => {
  const { id } = await gateway.mine.read("POST", "/assistants", { model: "sim/echo", name: "mine" });
  for (const [method, body] of [["GET"], ["POST", { name: "stolen" }], ["DELETE"]] as const) {
    const foreign = await gateway.theirs.ask(method, `/assistants/${id}`, body);
    const unknown = await gateway.theirs.ask(method, `/assistants/${UNKNOWN_ID}`, body);
    expect(foreign.status).toBe(404);
    expect(foreign.body.error).toMatchObject({ code: "not_found", message: `No assistant found with id '${id}'.` });
    expect(withoutRequestId(foreign).replaceAll(id, UNKNOWN_ID)).toBe(withoutRequestId(unknown));
  }
  const listed = await gateway.theirs.read("GET", "/assistants?limit=100");
  expect(listed.data.map((one) => one.id)).not.toContain(id);
  expect(await gateway.administrator.read("GET", `/assistants/${id}`)).toMatchObject({ name: "mine" });
});

test("an invalid assistant ID returns 404", async ({ gateway }) => {
  for (const id of ["asst_1", "%00", "..%2F..", "asst_%F0%9F%98%80", "a".repeat(3_000), `thread_${"0".repeat(24)}`]) {
    const answer = await gateway.mine.ask("GET", `/assistants/${id}`);
    expect(answer, id).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(answer.body.error.message.length).toBeLessThan(120);
  }
  expect(gateway.unexpected).toEqual([]);
});

describe("assistant list", () => {
  test("is paged by cursor in both directions, newest first", async ({ gateway }) => {
    const ids: string[] = [];
    for (const name of ["a", "b", "c", "d", "e"]) {
      ids.push((await gateway.theirs.read("POST", "/assistants", { model: "sim/echo", name })).id);
    }
    const newest = ids.toReversed();
    const all = await gateway.theirs.read("GET", "/v1/assistants");
    expect(all).toMatchObject({ object: "list", first_id: newest[0], last_id: ids[0], has_more: false });
    expect(all.data.map(({ id }) => id)).toEqual(newest);

    const idsOf = async (query: string) => {
      const page = await gateway.theirs.read("GET", `/assistants?${query}`);
      return [page.data.map(({ id }) => id), page.has_more];
    };
    expect(await idsOf("limit=2")).toEqual([newest.slice(0, 2), true]);
    expect(await idsOf(`limit=2&after=${newest[1]}`)).toEqual([newest.slice(2, 4), true]);
    expect(await idsOf(`limit=2&after=${newest[3]}`)).toEqual([newest.slice(4), false]);
    expect(await idsOf(`limit=2&before=${newest[3]}`)).toEqual([newest.slice(1, 3), true]);
    expect(await idsOf("order=asc&limit=1")).toEqual([ids.slice(0, 1), true]);
    expect(await idsOf("after=&before=&limit=100")).toEqual([newest, false]);
  });

  test("has null first_id and last_id when empty", async ({ gateway }) => {
    const { id } = await gateway.mine.read("POST", "/assistants", { model: "sim/echo" });
    expect(await gateway.mine.read("GET", `/assistants?order=asc&after=${id}`)).toEqual({
      object: "list",
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  test("rejects unknown cursors, cursors from another team, and invalid limits", async ({ gateway }) => {
    const { id } = await gateway.mine.read("POST", "/assistants", { model: "sim/echo" });
    for (const cursor of [UNKNOWN_ID, id, "nonsense", "%00"]) {
      for (const name of ["after", "before"]) {
        const refused = await gateway.theirs.ask("GET", `/assistants?${name}=${cursor}`);
        expect(refused, `${name}=${cursor}`).toMatchObject({
          status: 400,
          body: { error: { code: "invalid_request" } },
        });
      }
    }
    for (const query of ["limit=0", "limit=101", "limit=ten", "limit=1.5", "order=up"]) {
      expect((await gateway.mine.ask("GET", `/assistants?${query}`)).status, query).toBe(422);
    }
    expect(gateway.unexpected).toEqual([]);
  });
});

/** Returns the response as text, without the ID that differs between requests. */
function withoutRequestId(response: object): string {
  return JSON.stringify(response, (name, value) => (name === "request_id" ? undefined : value));
}
