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
