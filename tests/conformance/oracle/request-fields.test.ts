import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { comparedOperations, findUnheeded } from "./request-fields.ts";

/** Describes only `key_alias`, refuses `soft_budget` by name, and ignores every other field. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const send = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
  if (request.url === "/openapi.json") {
    const schema = { $ref: "#/components/schemas/Body" };
    const operation = { requestBody: { content: { "application/json": { schema } } } };
    const paths = comparedOperations.map((name) => name.split(" ")[1] ?? "");
    const described = Object.fromEntries(paths.map((path) => [path, { get: operation, post: operation }]));
    const schemas = { Body: { anyOf: [{ properties: { key_alias: {} } }, {}] } };
    return send(200, { paths: described, components: { schemas } });
  }
  if ("soft_budget" in JSON.parse(Buffer.concat(chunks).toString("utf8"))) {
    return send(400, { error: { param: "soft_budget" } });
  }
  return send(200, {});
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

test("a field that is neither described nor refused by name is reported", async () => {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wanted = { "POST /key/generate": ["key_alias", "soft_budget", "spend"] };
  expect(await findUnheeded({ baseUrl, masterKey: "sk-master" }, wanted)).toEqual({ "POST /key/generate": ["spend"] });
});
