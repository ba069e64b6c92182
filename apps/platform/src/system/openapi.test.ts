import { test } from "@tollgate/testkit/test.ts";
import { describe, expect, onTestFinished } from "vitest";
import { managementOperations } from "../operations.ts";
import { startTestPlatform } from "../platform.fixture.ts";
import { describeManagementInterface } from "./get-openapi.ts";

interface Described {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

const document = JSON.parse(JSON.stringify(describeManagementInterface(managementOperations()))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

describe("the OpenAPI description of the management API", () => {
  test("contains every operation once, under its path and method", () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`),
    );
    const declared = managementOperations().map(({ id, method, path }) => `${id}: ${method} ${path}`);
    expect(described.toSorted()).toEqual(declared.toSorted());
    expect(new Set(declared.map((text) => text.split(":")[0])).size).toBe(declared.length);
  });

  test("declares path parameters, authentication, and the error response of every operation", () => {
    for (const operation of managementOperations()) {
      const described = document.paths[operation.path]?.[operation.method.toLowerCase()] as Described;
      const named = described.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
      expect(named).toEqual([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      const isOpen = operation.auth === "none" || operation.auth === "signature";
      expect(described.security).toEqual(isOpen ? [] : [{ Bearer: [] }]);
      expect(described.responses.default).toEqual({ $ref: "#/components/responses/Error" });
      expect(described.requestBody === undefined).toBe(operation.body === undefined);
    }
  });

  test("contains no dangling references", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference = ""]) => reference,
    );
    for (const reference of new Set(references)) {
      const [, components, kind = "", name = ""] = reference.split("/");
      expect(components).toBe("components");
      expect(document.components[kind], reference).toHaveProperty(name);
    }
  });

  test("declares amounts as 64-bit integers", () => {
    expect(JSON.stringify(document.components.schemas?.Balance)).toContain('"format":"int64"');
    const text = JSON.stringify(document.paths["/api/credits/purchases"]?.post?.requestBody);
    expect(text).toContain('"format":"int64"');
  });

  test("gives every amount of a response as text too, from which clients read it exactly", () => {
    expect(listInexactAmounts()).toEqual([]);
  });

  test("is public, and so is the agent guide", async ({ database }) => {
    const platform = await startTestPlatform(database);
    onTestFinished(() => platform.close());
    const served = await platform.api("GET", "/api/openapi.json");
    expect({ status: served.status, body: served.body }).toEqual({ status: 200, body: document });
    const guide = await platform.api("GET", "/api/agents/skill");
    expect(guide.status).toBe(200);
    expect(guide.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    // Every path in the guide exists.
    const named = [...guide.text.matchAll(/https?:\/\/[^/\s]+(\/api\/[a-z/.-]+)/g)].map(([, path = ""]) => path);
    const known = managementOperations().map(({ path }) => path.replace("{id}", "PURCHASE"));
    expect(new Set(named).size).toBeGreaterThan(6);
    for (const path of new Set(named))
      expect(
        known.some((candidate) => candidate.startsWith(path)),
        path,
      ).toBe(true);
  });
});

interface DescribedSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly items?: DescribedSchema;
  readonly anyOf?: readonly DescribedSchema[];
}

/** Returns the amounts in responses that neither their object nor the one that contains it has in its `usd` field. */
function listInexactAmounts(): readonly string[] {
  const found = new Set<string>();
  const visited = new Set<string>();
  const isAmount = ({ type, description, anyOf = [] }: DescribedSchema): boolean =>
    (type === "integer" && description === "nano-USD") || anyOf.some(isAmount);
  const visit = (schema: DescribedSchema, place: string, hasUsd: boolean): void => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split("/").at(-1) as string;
      if (visited.has(`${name} ${hasUsd}`)) return;
      visited.add(`${name} ${hasUsd}`);
      return visit(document.components.schemas?.[name] as DescribedSchema, name, hasUsd);
    }
    const { properties = {}, items, anyOf = [] } = schema;
    const ownsUsd = "usd" in properties;
    for (const [name, member] of Object.entries(properties)) {
      if (isAmount(member) && !ownsUsd && !hasUsd) found.add(`${place}.${name}`);
      visit(member, `${place}.${name}`, ownsUsd);
    }
    if (items !== undefined) visit(items, `${place}[]`, false);
    for (const option of anyOf) visit(option, place, hasUsd);
  };
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { responses } of Object.values(methods)) {
      for (const response of Object.values(responses) as { content?: Record<string, { schema: DescribedSchema }> }[]) {
        for (const { schema } of Object.values(response.content ?? {})) visit(schema, path, false);
      }
    }
  }
  return [...found];
}
