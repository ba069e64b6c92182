import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../packages/testkit/src/needs.ts";
import { findBreakingChanges, type InterfaceDocument } from "./find-breaking-changes.ts";

const root = join(import.meta.dirname, "../..");
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8")) as unknown;
const previous = readJson("scripts/previous-release.json") as { version: string; commit: string };
const { version } = readJson("package.json") as { version: string };
/** Intentional breaking changes in this version, with their reasons. The file is emptied after each release. */
const accepted = readJson("tests/interface/accepted.json") as Readonly<Record<string, string>>;

const majorOf = (text: string) => Number(text.split(".")[0]);

test.for(["docs/api/openapi.json", "docs/api/management.json"])(
  "a client of the previous release continues to work: %s",
  needs("the same major version", majorOf(version) <= majorOf(previous.version)),
  (path) => {
    const text = execFileSync("git", ["show", `${previous.commit}:${path}`], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    const changes = findBreakingChanges(JSON.parse(text) as InterfaceDocument, readJson(path) as InterfaceDocument);
    expect(changes.filter((change) => !(change in accepted))).toEqual([]);
  },
);

describe("findBreakingChanges reports", () => {
  const describeInterface = (body: object, answer: object, parameters: readonly object[] = []): InterfaceDocument => ({
    paths: {
      "/things": {
        post: {
          parameters: parameters as never,
          requestBody: { content: { "application/json": { schema: body } } },
          responses: { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } } },
        },
      },
    },
    components: { schemas: { Thing: answer } },
  });
  const body = {
    type: "object",
    properties: { name: { type: "string" }, kind: { enum: ["a", "b"] } },
    required: ["name"],
  };
  const answer = {
    type: "object",
    properties: { id: { type: "string" }, size: { type: "integer" } },
    required: ["id"],
  };
  const before = describeInterface(body, answer);

  test("no changes if the new description only adds to the old one", () => {
    const more = { ...body, properties: { ...body.properties, note: { type: "string" } } };
    const fuller = { ...answer, properties: { ...answer.properties, age: { type: "integer" } } };
    expect(findBreakingChanges(before, describeInterface(more, fuller, [{ name: "page", in: "query" }]))).toEqual([]);
  });

  test.for<[string, InterfaceDocument, string]>([
    ["an operation", { paths: {} }, "POST /things is gone"],
    [
      "a field of the answer",
      describeInterface(body, { ...answer, properties: { id: { type: "string" } } }),
      "POST /things → 200 size is gone",
    ],
    [
      "certainty of a field",
      describeInterface(body, { ...answer, required: [] }),
      "POST /things → 200 id may be missing now",
    ],
    [
      "the type of a field",
      describeInterface(body, { ...answer, properties: { ...answer.properties, id: { type: "integer" } } }),
      "POST /things → 200 id was string and is integer",
    ],
    [
      "a new duty",
      describeInterface({ ...body, required: ["name", "kind"] }, answer),
      "POST /things kind is needed now",
    ],
    [
      "a value",
      describeInterface({ ...body, properties: { ...body.properties, kind: { enum: ["a"] } } }, answer),
      'POST /things kind may be "b" no more',
    ],
    [
      "a parameter that is needed",
      describeInterface(body, answer, [{ name: "page", in: "query", required: true }]),
      "POST /things needs page now",
    ],
  ])("%s", ([, after, change]) => {
    expect(findBreakingChanges(before, after)).toEqual([change]);
  });
});
